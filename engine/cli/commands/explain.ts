import { TablewrightError } from '../../../tables/model/error.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { itemBytes } from '../../core/item/item-size.ts';
import { type Explanation, explainRead, type TableFigures } from '../../core/read/explain-read.ts';
import { tableOf } from '../../run/read/read-pattern.ts';
import type { Action, Context } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { findPattern, readParameters } from '../pattern-arguments.ts';
import type spec from './explain.spec.js';

const sampleRecords = 20;

const explain: Action<typeof spec> = async (context, given) => {
  const pattern = findPattern(context.catalogue, given.pattern);
  const params = readParameters(pattern, given.parameters);
  return withStack(context, {}, async (stack) => {
    const table = tableOf(stack.tables, pattern);
    // Wrong parameters are told before the stack is asked for anything.
    explainRead(table, pattern, params, stack.config, undefined);
    const figures = await figuresOf(context, stack, table);
    const explanation = explainRead(table, pattern, params, stack.config, figures);
    context.output.result(explanation, () => describe(pattern, explanation));
    return 0;
  });
};

/** Size and number of the records; undefined where the table cannot be reached, for an explanation needs no access. */
async function figuresOf(context: Context, stack: OpenStack, table: Table): Promise<TableFigures | undefined> {
  try {
    const TableName = physicalName(table, stack.config);
    const found = await stack.store.describeTable(TableName, context.signal);
    if (found === undefined || found.itemCount === 0) return undefined;
    if (found.bytes > 0) return { records: found.itemCount, bytes: found.bytes };
    // The embedded engine counts records but not bytes: a few records tell.
    const { items } = await stack.store.scan({ TableName, Limit: sampleRecords }, context.signal);
    const sampled = items.reduce((sum, item) => sum + itemBytes(item), 0);
    return { records: found.itemCount, bytes: Math.ceil((sampled / Math.max(1, items.length)) * found.itemCount) };
  } catch (error) {
    if (error instanceof TablewrightError) return undefined;
    throw error;
  }
}

function describe(pattern: Pattern, { expected, scan, why, request, ...rest }: Explanation): string {
  const { records, limited, recordBytes, measured, units } = expected;
  const many = `${records} ${records === 1 ? 'record' : 'records'} of ${recordBytes} bytes`;
  const basis = `${limited ? 'at most ' : 'for each '}${many}${measured ? ', the size measured on the table' : ', the size assumed'}`;
  return [
    `${rest.pattern}: ${rest.description}`,
    `${rest.operation} on ${rest.table}${rest.index === null ? '' : `, index ${rest.index}`}`,
    '',
    'Request',
    JSON.stringify(request, null, 2),
    '',
    `Expected   ${units} read units (${basis})`,
    `A Scan     ${scan === null ? 'size of the table not known' : `${scan.units} read units (all ${scan.records} records of the table, for every read)`}`,
    ...(pattern.legacy === undefined ? [] : [`Before     a Scan; 'tablewright cutover status' says how it is read now`]),
    '',
    'Why it is not a Scan',
    ...why.map((reason) => `  ${reason}`),
  ].join('\n');
}

export default explain;
