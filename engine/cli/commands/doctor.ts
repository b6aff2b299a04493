import { physicalName } from '../../../tables/stack-config.ts';
import { compareTable, type TableDifference } from '../../core/tables/compare-table.ts';
import type { Action } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { renderTable } from '../show/table.ts';
import type spec from './doctor.spec.js';

const doctor: Action<typeof spec> = (context) =>
  withStack(context, {}, async (stack) => {
    const differences = await differencesOf(stack, context.signal);
    const value = { stack: stack.name, tables: stack.tables.length, differences };
    context.output.result(value, () => describe(stack, differences));
    return differences.length === 0 ? 0 : 1;
  });

/** What the stack has against what the catalogue says, table by table. */
export async function differencesOf(stack: OpenStack, signal: AbortSignal): Promise<readonly TableDifference[]> {
  const found: TableDifference[] = [];
  for (const table of stack.tables) {
    signal.throwIfAborted();
    const description = await stack.store.describeTable(physicalName(table, stack.config), signal);
    found.push(...compareTable(table, stack.config, description));
  }
  return found;
}

function describe(stack: OpenStack, differences: readonly TableDifference[]): string {
  if (differences.length === 0) return `Stack ${stack.name}: all ${stack.tables.length} tables are as the catalogue says.`;
  const rows = differences.map(({ table, what, expected, found }) => [table, what, expected, found]);
  const count = `${differences.length} differences in stack ${stack.name}`;
  return `${renderTable(['table', 'what', 'expected', 'found'], rows)}\n\n${count}; ${remedyOf(stack, differences)}`;
}

function remedyOf(stack: OpenStack, differences: readonly TableDifference[]): string {
  if (stack.name === 'local') return "'tablewright up' makes what is missing, 'up --fresh' starts over.";
  const commands = differences.flatMap(({ remedy }) => remedy ?? []);
  const deployed = `'npx pulumi up -s ${stack.name}' makes it so`;
  if (commands.length === 0) return `${deployed}.`;
  const rest = commands.length === differences.length ? '' : `${deployed}, but for this. `;
  return `${rest}Pulumi leaves an index in place where a table keeps none; drop it with:\n${commands.map((line) => `  ${line}`).join('\n')}`;
}

export default doctor;
