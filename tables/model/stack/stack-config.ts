import type * as z from 'zod';
import { TablewrightError } from '../error.ts';
import { describeIssue } from '../item.ts';
import type { StackKind, Table } from '../table.ts';
import { type BillingSettings, resolveBilling, type TableBilling } from './config/billing.ts';
import { type CatalogueTable, crossProblems } from './config/problems.ts';
import { backupDays, type GivenSettings, stackConfigSchema } from './config/schema.ts';
import { isSecret, secretFound, withoutSecrets } from './config/secrets.ts';
import { has, type Path, without } from './config/without.ts';

/**
 * A stack's settings, from the `tablewright:` keys of its `Pulumi.<stack>.yaml`. Pulumi and the command line read the
 * same file through this one schema, so they cannot disagree.
 */
export { stackConfigSchema };

/** The settings with everything filled in that follows from the kind of the stack. */
export type StackSettings = GivenSettings & {
  readonly pitr: { readonly enabled: boolean };
  readonly protect: boolean;
  readonly backups: { readonly enabled: boolean; readonly deleteAfterDays: number };
};

export type StackConfig = StackSettings & {
  /** The project's name: the names of its resources begin with it. */
  readonly project: string;
  /** The stack's name as Pulumi knows it. */
  readonly stack: string;
  readonly region: string;
  /** Settings that are secrets and were passed over, by their place; none where Pulumi decrypts them. */
  readonly hidden: readonly string[];
};

/** The toolkit's own name: of its settings, its types of components, and of this repository as a project. */
export const projectName = 'tablewright';
export const defaultRegion = 'us-east-1';

/**
 * The settings from a stack file's `config:` map, as the file has them or as Pulumi hands them to a program; every problem
 * is reported, with its key and what was expected.
 */
export function parseStackConfig(
  stack: string,
  config: Readonly<Record<string, unknown>>,
  catalogue: readonly CatalogueTable[],
  project: string = projectName,
): StackConfig {
  const { settings, hidden, problems: secrets } = withoutSecrets(ownSettings(config));
  const { data, issues } = parseSettings(settings);
  const own = [...secrets, ...issues.flatMap(describeConfigIssue), ...crossProblems(data, catalogue)];
  const region = config['aws:region'];
  const problems = [
    ...own.map((problem) => `${projectName}:${problem}`),
    ...(isSecret(region) ? [`aws:region: ${secretFound}`] : []),
  ];
  if (problems.length > 0) throw badConfig(stack, problems);
  const place = typeof region === 'string' ? region : defaultRegion;
  return { ...withKindDefaults(data), project, stack, region: place, hidden };
}

export function badConfig(stack: string, problems: readonly string[]): TablewrightError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new TablewrightError('BAD_CONFIG', `Pulumi.${stack}.yaml has ${count}`, {
    problems,
    next: `Correct Pulumi.${stack}.yaml; docs/configuration.md lists every key.`,
  });
}

/** The project's own keys, without their namespace. */
function ownSettings(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const own = Object.entries(config).filter(([name]) => name.startsWith(`${projectName}:`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(projectName.length + 1), decoded(value)]));
}

/** Pulumi hands structured values over as JSON, and `config set` without `--path` writes JSON into the file as text. */
function decoded(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // Text after all; the schema says what was expected instead.
    return value;
  }
}

/** What has a problem is left out and the rest is parsed again, so that one round shows every problem of the file. */
function parseSettings(settings: Readonly<Record<string, unknown>>): {
  readonly data: GivenSettings;
  readonly issues: readonly z.core.$ZodIssue[];
} {
  const found: z.core.$ZodIssue[] = [];
  let sound: unknown = settings;
  for (;;) {
    const parsed = stackConfigSchema.safeParse(sound);
    if (parsed.success) return { data: parsed.data, issues: found };
    const { issues } = parsed.error;
    // What the second round finds missing is a part that the first took away.
    if (sound === settings) found.push(...issues);
    const broken = issues.flatMap((issue) => brokenPlaces(sound, issue));
    sound = without(sound, broken);
  }
}

function brokenPlaces(settings: unknown, issue: z.core.$ZodIssue): readonly Path[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => [...path, name]);
  return [has(settings, path) ? path : path.slice(0, -1)];
}

function withKindDefaults(given: GivenSettings): StackSettings {
  const { pitr, backups, alarms, production, ephemeral } = given;
  return {
    ...given,
    pitr: { ...pitr, enabled: pitr.enabled ?? production },
    protect: given.protect ?? production,
    alarms: ephemeral ? { ...alarms, enabled: false } : alarms,
    dashboards: given.dashboards && !ephemeral,
    backups: {
      ...backups,
      enabled: backups.enabled ?? production,
      deleteAfterDays: backupDays(backups),
    },
  };
}

function describeConfigIssue(issue: z.core.$ZodIssue): readonly string[] {
  const place = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => `${place === '' ? '' : `${place}.`}${name}: unknown key`);
  }
  if (issue.code === 'invalid_key') return issue.issues.map((inner) => `${place}: ${inner.message}`);
  return [describeIssue(issue)];
}

export function stackKind(config: Pick<StackConfig, 'production'>): StackKind {
  return config.production ? 'production' : 'development';
}

/** The tables that the stack deploys. */
export function tablesOf<T extends Pick<Table, 'system'>>(
  config: Pick<StackConfig, 'systems'>,
  catalogue: readonly T[],
): readonly T[] {
  const { systems } = config;
  return systems === undefined
    ? catalogue
    : catalogue.filter((table) => table.system === 'tablewright' || systems.includes(table.system));
}

/** How a table and its indexes are paid for in a stack. */
export function billingOf(
  table: Pick<Table, 'name' | 'billing' | 'indexes'>,
  config: Pick<StackConfig, 'production' | 'billing' | 'tables'>,
): TableBilling {
  const settings: BillingSettings | undefined = config.tables[table.name]?.billing ?? config.billing;
  return resolveBilling(table, stackKind(config), settings);
}

/** The name of the production stack whose tables keep their documented bare names. */
const bareStack = 'prod';

/** What the names of a stack's tables follow from. */
export interface StackNaming extends Pick<StackConfig, 'project' | 'stack' | 'nameSuffix'> {
  /** Base names of tables that have another than the catalogue's. */
  readonly tables: Readonly<Record<string, { readonly baseName?: string | undefined } | undefined>>;
}

/** The ledger's name in every catalogue. Two projects of one account must not share a ledger, so its physical name is the project's. */
export const ledgerName = `${projectName}-ledger`;

/** A table's physical name in a stack. */
export function physicalName(table: Pick<Table, 'name' | 'suffix'>, config: StackNaming): string {
  const usualBase = table.name === ledgerName ? `${config.project}-ledger` : table.name;
  const base = config.tables[table.name]?.baseName ?? usualBase;
  if (table.suffix === 'always') return base + (config.nameSuffix.always ?? `_${config.stack}`);
  const usual = config.stack === bareStack ? '' : `-${config.stack}`;
  return base + (config.nameSuffix.outsideProd ?? usual);
}

/** Point-in-time recovery of a table: its own words before the stack's. */
export function pitrOf(
  { name }: Pick<Table, 'name'>,
  { pitr, tables }: Pick<StackConfig, 'pitr' | 'tables'>,
): { readonly enabled: boolean; readonly recoveryDays: number } {
  const own = tables[name]?.pitr;
  return { enabled: own?.enabled ?? pitr.enabled, recoveryDays: own?.recoveryDays ?? pitr.recoveryDays };
}
