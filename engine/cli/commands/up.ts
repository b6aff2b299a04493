import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { localCredentials } from '../../aws/clients.ts';
import type { MigrateEvent } from '../../core/migrate/migrate-event.ts';
import { plural, showUnits } from '../../core/show/numbers.ts';
import { refuseLacking } from '../../core/store/features.ts';
import type { TableDifference } from '../../core/tables/compare-table.ts';
import { indexPlans, isPlanned } from '../../run/migrate/preflight.ts';
import { type PatternTrial, tryPatterns } from '../../run/read/try-patterns.ts';
import { type Ensured, ensureTable } from '../../run/tables/ensure-tables.ts';
import { consoleBeside } from '../console-beside.ts';
import type { Action, Context } from '../context.ts';
import { proveCutover } from '../cutover/prove-cutover.ts';
import { localStack } from '../local-stack.ts';
import { loadMigrations } from '../migrate/load-migrations.ts';
import { MigrateRenderer } from '../migrate/migrate-renderer.ts';
import { runPendingMigrations } from '../migrate/run-pending.ts';
import { openBrowser } from '../open-browser.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { loadFixtures } from '../seed/load-fixtures.ts';
import { type Column, renderTable } from '../show/table.ts';
import { refuseAws, startOverHere, startOverThere } from '../start-over.ts';
import { untilAborted } from '../until-aborted.ts';
import { compare, notOffered, remedyOf } from './doctor.ts';
import type spec from './up.spec.js';

/** Where `up --keep` listens unless told otherwise or the port is taken; that of AWS's own DynamoDB Local. */
export const keptPort = 8_000;

const up: Action<typeof spec> = async (context, given) => {
  refuseOtherStacks(context);
  if (given.mode === 'endpoint') refuseAws(context);
  else if (given.fresh) await startOverHere(context);
  const port = given.mode === 'embedded' ? given.port : undefined;
  const keep = given.mode === 'embedded' && given.keep;
  return withStack(context, { port, preferredPort: keep ? keptPort : undefined }, async (stack) => {
    await checkServer(context, stack);
    if (given.mode === 'endpoint' && given.fresh) await startOverThere(context, stack, given.yes);
    await createTables(context, stack);
    await seed(context, stack);
    await migrate(context, stack);
    await cutOver(context, stack);
    const failed = await showPatterns(context, stack);
    if (keep) await stayUp(context, stack, given.noOpen);
    return failed === 0 ? 0 : 1;
  });
};

function refuseOtherStacks({ common }: Context): void {
  if (common.stack === localStack) return;
  throw new TablewrightError('BAD_ARGUMENT', `up is for the local stack; ${common.stack} is made by Pulumi`, {
    next: `Run 'npx pulumi up -s ${common.stack}', then 'tablewright doctor --stack ${common.stack}'.`,
  });
}

/** Says what is worked on, and refuses a server that cannot do what is needed, before anything is made there. */
async function checkServer(context: Context, stack: OpenStack): Promise<void> {
  const { engine, endpoint } = stack;
  refuseLacking((await stack.lacks(context.signal)) ?? new Set(), endpoint);
  const shown = engine === undefined ? `the server at ${endpoint}` : `${engine}, data in .tablewright/`;
  context.output.note({ event: 'engine', engine: engine ?? null, endpoint }, `Engine     ${shown}`);
}

async function createTables(context: Context, stack: OpenStack): Promise<void> {
  const lacks = await stack.lacks(context.signal);
  const environment = { store: stack.store, config: stack.config, sleep, ...(lacks === undefined ? {} : { lacks }) };
  const made: Ensured[] = [];
  for (const table of stack.tables) made.push(await ensureTable(environment, table, context.signal));
  const comparison = await compare(stack, context.signal);
  // An index that a migration drops is there until it is run.
  const plans = indexPlans((await loadMigrations(context)).map(({ migration }) => migration));
  const named = new Map(stack.tables.map((table) => [physicalName(table, stack.config), table]));
  const wrong = comparison.differences.filter((difference) => {
    const table = named.get(difference.table);
    return table === undefined || !isPlanned(table, difference, { ...plans, added: new Set() });
  });
  if (wrong.length > 0) throw notAsDeclared(stack, wrong);
  const total = stack.tables.length;
  const created = made.filter((one) => one.created).length;
  const indexes = made.reduce((sum, one) => sum + one.indexes.length, 0);
  const now = [`${created} created`, ...(indexes === 0 ? [] : [`${indexes} ${indexes === 1 ? 'index' : 'indexes'} added`])].join(
    ', ',
  );
  const missing = [...comparison.lacks];
  context.output.note(
    { event: 'tables', total, created, indexes, notOffered: missing },
    [
      `Tables     ${total} as the catalogue says (${now} now)`,
      ...notOffered(comparison.lacks).map((line) => `           ${line}`),
    ].join('\n'),
  );
}

function notAsDeclared(stack: OpenStack, differences: readonly TableDifference[]): TablewrightError {
  const remedy = remedyOf(stack, differences);
  return new TablewrightError('CHECK_FAILED', 'the local tables are not as the catalogue says', {
    problems: differences.map(({ table, what, expected, found }) => `${table}: ${what}: expected ${expected}, found ${found}`),
    next: `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}`,
  });
}

/** The fixtures, and records as they were before the indexes existed, for the migrations to work on. */
async function seed(context: Context, stack: OpenStack): Promise<void> {
  const sets = await loadFixtures(context, stack, ['legacy']);
  const written = sets.reduce((sum, set) => sum + set.written, 0);
  context.output.note(
    { event: 'seeds', sets: sets.length, written },
    `Seeds      ${sets.length === 0 ? 'none' : `${plural(sets.length, 'set')}: ${sets.map(({ set }) => set).join(', ')} (${plural(written, 'row')} written now)`}`,
  );
}

async function migrate(context: Context, stack: OpenStack): Promise<void> {
  const renderer = new MigrateRenderer(context.output);
  const emit = (event: MigrateEvent): void => {
    if (event.kind === 'progress') renderer.show(event);
  };
  const { total, results } = await runPendingMigrations(context, stack, emit).finally(() => renderer.clear());
  context.signal.throwIfAborted();
  context.output.note(
    { event: 'migrations', total, applied: results.map(({ id, state, counts }) => ({ id, state, counts })) },
    `Migrations ${total} applied and verified (${results.length} run now)`,
  );
}

/** Reads that used to be Scans: compared once more, old answer against new, for every partition value. */
async function cutOver(context: Context, stack: OpenStack): Promise<void> {
  const proven = await proveCutover(context, stack);
  context.output.note(
    { event: 'cutover', patterns: proven.map(({ pattern, outcome }) => ({ pattern, outcome })) },
    `Cut-over   ${proven.length === 0 ? 'no pattern has an old form' : `${plural(proven.length, 'pattern')} read by the Query that replaces the old form, parity proven`}`,
  );
}

const columns: readonly Column[] = [
  { title: 'pattern' },
  { title: 'operation', rank: 3 },
  { title: 'index', rank: 2, least: 10 },
  { title: 'items', rank: 1 },
  { title: 'read units', rank: 1, right: true },
  { title: '', rank: 0, least: 14 },
];

async function showPatterns(context: Context, stack: OpenStack): Promise<number> {
  const trials: PatternTrial[] = [];
  for await (const trial of tryPatterns(stack.read, context.signal)) trials.push(trial);
  const failed = trials.filter((trial) => trial.error !== null);
  const empty = trials.filter((trial) => trial.empty === true);
  const rows = trials.map(({ pattern, operation, index, items, units, error, empty: isEmpty }) => [
    pattern,
    operation,
    index ?? '–',
    items,
    showUnits(units),
    error === null
      ? { text: isEmpty ? 'no records yet' : 'ok', tone: isEmpty ? ('warn' as const) : ('good' as const) }
      : { text: error, tone: 'bad' as const },
  ]);
  const summary = { event: 'patterns', total: trials.length, failed: failed.length, patterns: trials };
  const found =
    empty.length === 0
      ? `All ${trials.length} access patterns found their records, without a Scan.`
      : `${trials.length - empty.length} of ${trials.length} access patterns found their records, without a Scan; ${empty.length} of tables that have no records yet.`;
  context.output.result(summary, (page) =>
    [
      '',
      renderTable(page, columns, rows),
      '',
      failed.length === 0
        ? found
        : `${failed.length} of ${trials.length} access patterns failed: ${failed.map((trial) => trial.pattern).join(', ')}.`,
    ].join('\n'),
  );
  return failed.length;
}

async function stayUp(context: Context, stack: OpenStack, noOpen: boolean): Promise<void> {
  const s3 = await stack.s3();
  const shown = await consoleBeside(context, stack);
  const { endpoint, config } = stack;
  const { region } = config;
  const { accessKeyId, secretAccessKey } = localCredentials;
  context.output.result({ event: 'ready', dynamodb: endpoint, s3: s3.endpoint, region, console: shown.link }, () =>
    [
      '',
      `DynamoDB  ${endpoint}`,
      `S3        ${s3.endpoint}`,
      `Keys      export AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey}`,
      // Version 1 of the AWS CLI reads AWS_DEFAULT_REGION, version 2 and the SDKs AWS_REGION.
      `          export AWS_REGION=${region} AWS_DEFAULT_REGION=${region}`,
      `Try       aws dynamodb list-tables --endpoint-url ${endpoint}`,
      `          aws s3 ls --endpoint-url ${s3.endpoint}`,
      `Console   ${shown.link}`,
      'Ctrl-C stops all; the data stays in .tablewright/.',
    ].join('\n'),
  );
  if (!noOpen) openBrowser(context, shown.link);
  await untilAborted(context.signal);
  await shown.close();
  context.output.note({ event: 'stopped' }, 'Stopped.');
}

export default up;
