import { TablewrightError } from '../tables/model/error.ts';
import type { AwsPlace } from '../tables/model/stack/aws-place.ts';
import { enabledJobs } from '../tables/model/stack/config/schedules.ts';
import { keyAlias } from '../tables/model/stack/key-alias.ts';
import { physicalName, type StackConfig } from '../tables/model/stack/stack-config.ts';
import type { Table } from '../tables/model/table.ts';
import { ciNames } from './access/ci-roles.ts';
import { stackAlarms } from './alarms/stack-alarms.ts';
import { dashboardName, topicName } from './alarms/stack-topic.ts';
import { tableAlarms } from './alarms/table-alarms.ts';
import { backupsName } from './backup-plan.ts';
import { runnerAlarms } from './runner/runner-alarms.ts';
import { runnerNames } from './runner/runner-names.ts';
import { functionName, functionRole, scheduleRole } from './schedule/job-args.ts';

type Kind =
  | 'table'
  | 'index'
  | 'key alias'
  | 'topic'
  | 'alarm'
  | 'dashboard'
  | 'role'
  | 'policy'
  | 'backup vault'
  | 'function'
  | 'schedule'
  | 'state machine';

export interface DerivedName {
  readonly kind: Kind;
  readonly name: string;
}

const plain = { form: /^[\w-]+$/, words: 'letters, digits, underscores and hyphens' };
const dotted = { form: /^[\w.-]+$/, words: 'letters, digits, underscores, dots and hyphens' };
const iam = { form: /^[\w+=,.@-]+$/, words: 'letters, digits and _ + = , . @ -' };

/** What AWS takes for a name. Each limit is the service's own: the request that sets the name says it in its reference. */
const limits: Readonly<Record<Kind, { readonly longest: number; readonly form: RegExp; readonly words: string }>> = {
  // CreateTable, `TableName` and `IndexName`.
  table: { longest: 255, ...dotted },
  index: { longest: 255, ...dotted },
  // KMS CreateAlias, `AliasName`.
  'key alias': { longest: 256, form: /^alias\/[\w/-]+$/, words: plain.words },
  // SNS CreateTopic, `Name`.
  topic: { longest: 256, ...plain },
  // CloudWatch PutMetricAlarm, `AlarmName`; PutDashboard, `DashboardName`.
  alarm: { longest: 255, form: /^[\x20-\x7e]+$/, words: 'ASCII characters' },
  dashboard: { longest: 255, ...plain },
  // IAM User Guide, "IAM and AWS STS quotas".
  role: { longest: 64, ...iam },
  policy: { longest: 128, ...iam },
  // AWS Backup CreateBackupVault, `BackupVaultName`; its plan and selection have the same name and take as much.
  'backup vault': { longest: 50, ...plain },
  // Lambda CreateFunction, `FunctionName`; EventBridge Scheduler CreateSchedule, `Name`; Step Functions CreateStateMachine, `name`.
  function: { longest: 64, ...plain },
  schedule: { longest: 64, ...dotted },
  'state machine': { longest: 80, ...plain },
};

export interface Named {
  readonly name: string;
}

/** Every name that follows from the stack's, and that AWS limits. Bucket names are cut to fit. */
export function derivedNames(
  tables: readonly Table[],
  config: StackConfig,
  policies: readonly Named[],
  roles: readonly Named[],
  place: AwsPlace,
): readonly DerivedName[] {
  const of = (kind: Kind, names: readonly string[]) => names.map((name): DerivedName => ({ kind, name }));
  const systems = config.dashboards ? [...new Set(tables.map(({ system }) => system))] : [];
  const alarms = [
    ...tables.flatMap((table) => tableAlarms(table, config)),
    ...stackAlarms(config),
    ...runnerAlarms(config, place),
  ];
  const jobs = enabledJobs(config);
  const functionNames = jobs.map((job) => functionName(config, job));
  const runner = config.runner.enabled ? [runnerNames(config)] : [];
  const ci = ciNames(config, place, tables);
  const backups = config.backups.enabled ? [backupsName(config)] : [];
  return [
    ...of(
      'table',
      tables.map((table) => physicalName(table, config)),
    ),
    ...of(
      'index',
      tables.flatMap(({ indexes }) => indexes.map(({ name }) => name)),
    ),
    ...of('key alias', [keyAlias(config)]),
    ...of('topic', [topicName(config)]),
    ...of(
      'dashboard',
      systems.map((system) => dashboardName(config, system)),
    ),
    ...of('backup vault', backups),
    ...of('function', [...functionNames, ...runner.map(({ name }) => name)]),
    ...of('schedule', functionNames),
    ...of(
      'state machine',
      runner.map(({ name }) => name),
    ),
    ...of('role', [
      ...roles.map(({ name }) => name),
      ...backups,
      ...jobs.flatMap((job) => [functionRole(config, job), scheduleRole(config, job)]),
      ...ci.roles,
      ...runner.flatMap(({ workerRole, machineRole }) => [workerRole, machineRole]),
    ]),
    ...of('policy', [...policies.map(({ name }) => name), ...ci.policies]),
    ...of(
      'alarm',
      alarms.map(({ name }) => name),
    ),
  ];
}

/** Refuses names that AWS would refuse, before the first of them is registered. Of each kind the longest is shown. */
export function checkNames(stack: string, names: readonly DerivedName[]): void {
  const kinds = [...new Set(names.map(({ kind }) => kind))];
  const problems = kinds.flatMap((kind) => {
    const [worst] = names
      .filter((name) => name.kind === kind && isRefused(name))
      .toSorted((a, b) => b.name.length - a.name.length);
    return worst === undefined ? [] : [problemOf(worst)];
  });
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_CONFIG', `The name of the stack ${stack} leads to names that AWS refuses`, {
    problems,
    next: `Give the stack a name of letters, digits, underscores and hyphens that is short enough: 'npx pulumi stack rename NAME -s ${stack}', and rename its file. A table's name also ends with tablewright:nameSuffix.`,
  });
}

function isRefused({ kind, name }: DerivedName): boolean {
  return name.length > limits[kind].longest || !limits[kind].form.test(name);
}

function problemOf({ kind, name }: DerivedName): string {
  const { longest, form, words } = limits[kind];
  const expected = form.test(name) ? `at most ${longest} characters` : words;
  const found = form.test(name) ? `${name.length}` : name;
  return `${kind} ${name}: expected ${expected}, found ${found}`;
}
