import { TablewrightError } from '../../../tables/model/error.ts';
import { ledger as ledgerTable } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { isPass, type Migration } from '../../core/migrate/define-migration.ts';
import { isListening, triggerCommand } from '../../core/migrate/listeners.ts';
import { type Lacks, refuseLacking } from '../../core/store/features.ts';
import { compareStack } from '../../core/tables/compare-stack.ts';
import { notInCatalogue, type TableDifference } from '../../core/tables/compare-table.ts';
import type { MigrateEnvironment } from './environment.ts';

export interface PreflightOptions {
  /** The account that the caller is in; undefined where there is none, as on this machine. */
  readonly callerAccount: () => Promise<string | undefined>;
  /** What the server cannot do; nothing when left out. */
  readonly lacks?: Lacks | undefined;
  /** Those of the tables whose consumers have to be paused. */
  readonly paused?: readonly Table[] | undefined;
  /** What the migrations are about to do with indexes. */
  readonly indexes?: IndexPlans | undefined;
  /** Go on in production although a table has no point-in-time recovery. */
  readonly noPitrOk: boolean;
}

/** Indexes that pending steps make or drop, as `table.index`; that they are missing, or there, is nothing wrong. */
export interface IndexPlans {
  readonly added: ReadonlySet<string>;
  readonly dropped: ReadonlySet<string>;
}

export type PreflightEnvironment = Pick<MigrateEnvironment, 'config' | 'tables' | 'listeners'> & {
  readonly data: Pick<MigrateEnvironment['data'], 'describeTable' | 'backups'>;
};

/** Looks at everything that could make a run on these tables go wrong, before its first write; all that is found is reported at once. */
export async function preflight(
  environment: PreflightEnvironment,
  touched: readonly Table[],
  options: PreflightOptions,
  signal: AbortSignal,
): Promise<void> {
  const { config } = environment;
  refuseLacking(options.lacks ?? new Set(), undefined);
  await checkAccount(config.account, options.callerAccount);
  const tables = [...new Set([...touched, ledgerTable])];
  const problems: string[] = [];
  for (const table of tables) {
    problems.push(...(await tableProblems(environment, table, options, signal)));
    if (config.production && table !== ledgerTable && !options.noPitrOk)
      problems.push(...(await pitrProblems(environment, table, signal)));
  }
  const running: string[] = [];
  for (const table of new Set(options.paused)) running.push(...(await consumerProblems(environment, table, signal)));
  problems.push(...running);
  if (problems.length === 0) return;
  const pause =
    running.length === 0 ? '' : ' Pause the consumers by the commands above; --enabled lets each go on where it stopped.';
  throw new TablewrightError(
    'PREFLIGHT_FAILED',
    `the stack ${config.stack} is not ready for these migrations; nothing was written`,
    {
      problems,
      next: `Bring it in line as 'tablewright doctor' says ('npx pulumi up' for most), or allow what may be: --no-pitr-ok.${pause}`,
    },
  );
}

/** The tables of steps that are to be run with their consumers paused. */
export function pausedTables({ steps }: Migration): readonly Table[] {
  return steps.flatMap((step) => (isPass(step) && step.consumers === 'paused' ? [step.table] : []));
}

/** The indexes that the migrations make and drop by steps of their own. */
export function indexPlans(migrations: readonly Pick<Migration, 'steps'>[]): IndexPlans {
  const steps = migrations.flatMap((migration) => migration.steps);
  const of = (kind: 'add-index' | 'drop-index') =>
    new Set(steps.flatMap((step) => (step.kind === kind ? [`${step.table.name}.${step.index}`] : [])));
  return { added: of('add-index'), dropped: of('drop-index') };
}

/** Is it only that an index is not there yet, or still there, which is what a step is for? */
export function isPlanned(table: Table, { what, found, expected }: TableDifference, plans: IndexPlans | undefined): boolean {
  const [kind, index] = what.split(' ');
  if (plans === undefined || kind !== 'index' || what !== `index ${index}`) return false;
  const name = `${table.name}.${index}`;
  if (found === 'missing') return plans.added.has(name);
  return expected === notInCatalogue && plans.dropped.has(name);
}

/** Each consumer that is on, with the command that pauses it. One that cannot be seen is not taken for paused. */
async function consumerProblems(
  environment: PreflightEnvironment,
  table: Table,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const name = physicalName(table, environment.config);
  const found = await environment.listeners?.(name, signal);
  if (found === undefined) return [];
  const { region } = environment.config;
  return [
    ...found.unseen.map((what) => `${name}: its consumers have to be paused, and ${what}`),
    ...found.triggers
      .filter(isListening)
      .map(
        (trigger) =>
          `${name}: ${trigger.functionName} has to be paused, and is ${trigger.state}: ${triggerCommand(trigger, region, false)}`,
      ),
  ];
}

async function checkAccount(expected: string | undefined, callerAccount: () => Promise<string | undefined>): Promise<void> {
  if (expected === undefined) return;
  const found = await callerAccount();
  if (found === undefined || found === expected) return;
  throw new TablewrightError('WRONG_ACCOUNT', `the credentials are of account ${found}; this stack lives in ${expected}`, {
    next: 'Set AWS_PROFILE to a profile of that account, then run the command again.',
  });
}

/** Billing is a matter of cost, not of right or wrong; everything else must be as the catalogue says. */
const harmless = new Set(['billing', 'encryption']);

async function tableProblems(
  environment: PreflightEnvironment,
  table: Table,
  { lacks, indexes }: Pick<PreflightOptions, 'lacks' | 'indexes'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const name = physicalName(table, environment.config);
  const found = await environment.data.describeTable(name, signal);
  return compareStack([{ table, found }], environment.config, lacks)
    .differences.filter(({ what }) => !harmless.has(what))
    .filter(({ what, found: state }) => !isBuilding(what, state))
    .filter((difference) => !isPlanned(table, difference, indexes))
    .map(({ what, expected, found: state }) => `${name}: ${what}: expected ${expected}, found ${state}`);
}

/** An index that is still being built is what `waitForIndexes` is for. */
function isBuilding(what: string, state: string): boolean {
  return what.startsWith('index ') && state === 'CREATING';
}

async function pitrProblems(environment: PreflightEnvironment, table: Table, signal: AbortSignal): Promise<readonly string[]> {
  const name = physicalName(table, environment.config);
  const { pointInTimeRecovery } = await environment.data.backups(name, signal);
  return pointInTimeRecovery === false ? [`${name}: point-in-time recovery: expected on in production, found off`] : [];
}
