import { TablewrightError } from '../../../tables/model/error.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import type { ReadState } from '../../core/cutover/state-record.ts';
import { itemBytes } from '../../core/item/item-size.ts';
import { checkCall } from '../../core/read/checked-call.ts';
import { type Explanation, explainRead, type TableFigures } from '../../core/read/explain-read.ts';
import { planRead } from '../../core/read/plan-read.ts';
import { plural } from '../../core/show/numbers.ts';
import { readState } from '../../run/cutover/change-state.ts';
import type { ReadEnvironment } from '../../run/read/read-pattern.ts';
import { scanPage } from '../../run/store/read-pages.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { findPattern, readOptions, readParameters } from '../pattern-arguments.ts';
import type spec from './explain.spec.js';

const sampleRecords = 20;

const explain: Action<typeof spec> = async (context, given) => {
  const pattern = findPattern(context.catalogue, given.pattern);
  const params = readParameters(pattern, given.parameters);
  const options = readOptions(given);
  const { signal } = context;
  return withStack(context, {}, async ({ read }) => {
    // Wrong parameters are told before the stack is asked for anything.
    const call = checkCall(read.tables, pattern, params);
    const asked = planRead(call, read.names, options);
    // Both at once: a server that does not answer is waited for once.
    const [state, figures] = await Promise.all([
      pattern.legacy === undefined ? undefined : known(async () => (await readState(read, pattern, signal)).state),
      known(() => figuresOf(read, asked.request.TableName, signal)),
    ]);
    const plan = options.state === undefined && state !== undefined ? planRead(call, read.names, { ...options, state }) : asked;
    const explanation = explainRead(plan, { state, figures });
    context.output.result(explanation, () => describe(pattern, explanation));
    return 0;
  });
};

/** Undefined where the stack cannot be asked, for an explanation needs no access. */
async function known<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TablewrightError) return undefined;
    throw error;
  }
}

/** Number and size of the records. */
async function figuresOf(read: ReadEnvironment, TableName: string, signal: AbortSignal): Promise<TableFigures | undefined> {
  const found = await read.store.describeTable(TableName, signal);
  if (found === undefined || found.itemCount === 0) return undefined;
  if (found.bytes > 0) return { records: found.itemCount, bytes: found.bytes };
  // The embedded engine counts records but not bytes: a few records tell.
  const { items } = await scanPage(read, { TableName, Limit: sampleRecords }, signal);
  const sampled = items.reduce((sum, item) => sum + itemBytes(item), 0);
  return { records: found.itemCount, bytes: Math.ceil((sampled / Math.max(1, items.length)) * found.itemCount) };
}

function describe(pattern: Pattern, { expected, scan, why, request, way, state, ...rest }: Explanation): string {
  const { records, limited, recordBytes, measured, units } = expected;
  const many = `${plural(records, 'record')} of ${recordBytes} bytes`;
  const basis = `${limited ? (way === 'scan' ? 'all ' : 'at most ') : 'for each '}${many}${measured ? ', the size measured on the table' : ', the size assumed'}`;
  return [
    `${rest.pattern}: ${rest.description}`,
    `${rest.operation} on ${rest.table}${rest.index === null ? '' : `, index ${rest.index}`}`,
    ...(pattern.legacy === undefined ? [] : [stateLine(state)]),
    '',
    'Request',
    JSON.stringify(request, null, 2),
    '',
    `Expected   ${units} read units (${basis})`,
    ...(way === 'scan'
      ? [`Instead    'tablewright explain ${rest.pattern} … --way query' shows the query that replaces it`]
      : [
          `A Scan     ${scan === null ? 'size of the table not known' : `${scan.units} read units (all ${scan.records} records of the table, for every read)`}`,
        ]),
    '',
    way === 'scan' ? 'Why it is a Scan' : 'Why it is not a Scan',
    ...why.map((reason) => `  ${reason}`),
  ].join('\n');
}

const meanings: Readonly<Record<ReadState, string>> = {
  scan: "readers still scan; 'tablewright cutover apply' moves them to the query",
  shadow: 'readers still scan, and try the query beside it',
  query: 'readers use the query; it was a Scan once',
};

function stateLine(state: ReadState | null): string {
  if (state === null) return "State      not known here; 'tablewright cutover status' tells it where the ledger can be read";
  return `State      ${state}: ${meanings[state]}`;
}

export default explain;
