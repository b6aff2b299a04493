import { physicalName } from '../../../tables/stack-config.ts';
import { shownLacks } from '../../core/store/features.ts';
import type { TableDescription } from '../../core/store/store.ts';
import { type Comparison, compareStack } from '../../core/tables/compare-stack.ts';
import { isMissing, type TableDifference } from '../../core/tables/compare-table.ts';
import type { Action } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { localStack } from '../read-stack.ts';
import { renderTable } from '../show/table.ts';
import type spec from './doctor.spec.js';

const doctor: Action<typeof spec> = (context) =>
  withStack(context, {}, async (stack) => {
    const { differences, lacks } = await compare(stack, context.signal);
    const value = { stack: stack.name, tables: stack.tables.length, differences, notOffered: [...lacks] };
    context.output.result(value, () => [describe(stack, differences), ...notOffered(lacks)].join('\n'));
    return differences.length === 0 ? 0 : 1;
  });

/** What the stack has against what the catalogue says, table by table. */
export async function compare(stack: OpenStack, signal: AbortSignal): Promise<Comparison> {
  const lacks = await stack.lacks(signal);
  const pairs: { table: (typeof stack.tables)[number]; found: TableDescription | undefined }[] = [];
  for (const table of stack.tables) {
    signal.throwIfAborted();
    pairs.push({ table, found: await stack.store.describeTable(physicalName(table, stack.config), signal) });
  }
  return compareStack(pairs, stack.config, lacks);
}

/** A line for what the server cannot do, if there is anything. */
export function notOffered(lacks: Comparison['lacks']): readonly string[] {
  return lacks.size === 0 ? [] : [`Not offered by this server: ${shownLacks(lacks)}.`];
}

function describe(stack: OpenStack, differences: readonly TableDifference[]): string {
  if (differences.length === 0) return `Stack ${stack.name}: all ${stack.tables.length} tables are as the catalogue says.`;
  const rows = differences.map(({ table, what, expected, found }) => [table, what, expected, found]);
  const count = `${differences.length} differences in stack ${stack.name}`;
  return `${renderTable(['table', 'what', 'expected', 'found'], rows)}\n\n${count}; ${remedyOf(stack, differences)}`;
}

/** What makes the differences go, as the end of a sentence. */
export function remedyOf(stack: OpenStack, differences: readonly TableDifference[]): string {
  if (stack.name === localStack) return localRemedy(stack, differences);
  const commands = differences.flatMap(({ remedy }) => remedy ?? []);
  const deployed = `'npx pulumi up -s ${stack.name}' makes it so`;
  if (commands.length === 0) return `${deployed}.`;
  const rest = commands.length === differences.length ? '' : `${deployed}, but for this. `;
  return `${rest}Pulumi leaves an index in place where a table keeps none; drop it with:\n${commands.map((line) => `  ${line}`).join('\n')}`;
}

/** `up` adds what is missing; what is otherwise has to be made anew. */
function localRemedy({ endpoint, engine }: OpenStack, differences: readonly TableDifference[]): string {
  const up = `tablewright up${engine === undefined ? ` --endpoint ${endpoint}` : ''}`;
  if (differences.every(isMissing)) return `'${up}' makes what is missing.`;
  return engine === undefined
    ? `delete these tables on ${endpoint}, then '${up}' makes them anew.`
    : `'${up} --fresh' makes the tables anew.`;
}

export default doctor;
