import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { putDrift } from '../../aws/tables/put-drift.ts';
import { type Lacks, refuseLacking, shownLacks } from '../../core/store/features.ts';
import type { TableDescription } from '../../core/store/store.ts';
import { compareSettings } from '../../core/tables/compare-settings.ts';
import { type Comparison, compareStack } from '../../core/tables/compare-stack.ts';
import { isMissing, type TableDifference } from '../../core/tables/compare-table.ts';
import { compareTags } from '../../core/tables/compare-tags.ts';
import { type Remedy, twoDeployments } from '../../core/tables/remedies.ts';
import type { Action, Context } from '../context.ts';
import { findDeployed } from '../find-deployed.ts';
import { localStack } from '../local-stack.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { findHotKeys, renderHotKeys } from '../show/hot-keys.ts';
import type { Sheet } from '../show/screen.ts';
import { type Column, renderTable } from '../show/table.ts';
import type spec from './doctor.spec.js';

const doctor: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    refuseLacking((await stack.lacks(context.signal)) ?? new Set(), stack.endpoint);
    const { differences, lacks, missing } = await examine(context, stack);
    const hotKeys = given.hotKeys ? await findHotKeys(stack, missing, given, context.signal) : undefined;
    const found = { stack: stack.name, tables: stack.tables.length, differences, notOffered: [...lacks] };
    const value = hotKeys === undefined ? found : { ...found, hotKeys };
    const hot = (page: Sheet) => (hotKeys === undefined ? [] : ['', renderHotKeys(page, hotKeys)]);
    context.output.result(value, (page) => [describe(page, stack, differences), ...notOffered(lacks), ...hot(page)].join('\n'));
    if (given.metric)
      await putDrift(
        { region: stack.config.region, patience: stack.patience, signal: context.signal },
        stack.config,
        differences.length,
      );
    return differences.length === 0 ? 0 : 1;
  });

/** All that `doctor` finds: the tables, and on a deployed stack what only AWS has. */
export async function examine(context: Context, stack: OpenStack) {
  const { differences: ofTables, lacks } = await compare(stack, context.signal);
  const missing = new Set(ofTables.flatMap(({ table, what, found }) => (what === 'table' && found === 'missing' ? table : [])));
  const tagged = stack.tables.filter((table) => !missing.has(physicalName(table, stack.config)));
  const further = stack.name === localStack ? [] : await deployedDifferences(context, stack, tagged, lacks);
  return { differences: [...ofTables, ...further], lacks, missing };
}

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

/** A local stack is nobody's to bill, to find or to protect; a deployed one has tags and settings of its own. */
async function deployedDifferences(
  context: Context,
  stack: OpenStack,
  tables: OpenStack['tables'],
  lacks: Lacks,
): Promise<readonly TableDifference[]> {
  const deployed = await findDeployed(context, stack, tables, lacks);
  return [...deployed].flatMap(([table, found]) =>
    found === undefined
      ? []
      : [
          ...compareSettings(table, stack.config, found),
          ...(found.tags === undefined ? [] : compareTags(table, stack.config, found.tags)),
        ],
  );
}

const columns: readonly Column[] = [
  { title: 'table' },
  { title: 'what', rank: 0, least: 16 },
  { title: 'expected', rank: 1, least: 14 },
  { title: 'found', rank: 1, least: 14 },
];

function describe(page: Sheet, stack: OpenStack, differences: readonly TableDifference[]): string {
  if (differences.length === 0) return `Stack ${stack.name}: all ${stack.tables.length} tables are as the catalogue says.`;
  const rows = differences.map(({ table, what, expected, found }) => [table, what, expected, found]);
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  const shown = renderTable(page, columns, rows);
  return `${shown}\n\n${count} in stack ${stack.name}; ${remedyOf(stack, differences)}`;
}

/** What makes the differences go, as the end of a sentence. */
export function remedyOf(stack: OpenStack, differences: readonly TableDifference[]): string {
  if (stack.name === localStack) return localRemedy(stack, differences);
  // Pulumi compares with what it sent last; with --refresh it looks at what is there.
  const deployed = `'npx pulumi up --refresh -s ${stack.name}' makes it so`;
  const others = differences.flatMap(({ remedy, ...difference }) => (remedy === undefined ? [] : [{ ...difference, ...remedy }]));
  if (others.length === 0) return `${deployed}.`;
  const start = others.length === differences.length ? 'a deployment alone does not make it so.' : `${deployed}, but for this.`;
  const alone = others.filter(({ around }) => around === undefined);
  const together = others.filter(({ around }) => around !== undefined);
  const settings = together.flatMap(({ around }) => around ?? []);
  return [
    start,
    ...alone.flatMap((one) => [reasonOf(one), ...one.commands.map(indented)]),
    ...together.map(reasonOf),
    ...(settings.length === 0 ? [] : twoDeployments(stack.name, settings).map(indented)),
  ].join('\n');
}

const reasonOf = ({ table, what, why }: Pick<TableDifference, 'table' | 'what'> & Pick<Remedy, 'why'>): string =>
  `${table}, ${what}: ${why}`;
const indented = (command: string): string => `  ${command}`;

/** `up` adds what is missing; what is otherwise has to be made anew. */
function localRemedy({ endpoint, engine }: OpenStack, differences: readonly TableDifference[]): string {
  const up = `tablewright up${engine === undefined ? ` --endpoint ${endpoint}` : ''}`;
  if (differences.every(isMissing)) return `'${up}' makes what is missing.`;
  return engine === undefined
    ? `delete these tables on ${endpoint}, then '${up}' makes them anew.`
    : `'${up} --fresh' makes the tables anew.`;
}

export default doctor;
