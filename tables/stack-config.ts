import type { z } from 'zod';
import { TablewrightError } from './model/error.ts';
import { describeIssue } from './model/item.ts';
import type { StackKind, Table } from './model/table.ts';
import { type BillingSettings, resolveBilling, type TableBilling } from './stack-config/billing.ts';
import { type CatalogueTable, crossProblems } from './stack-config/problems.ts';
import { type GivenSettings, stackConfigSchema } from './stack-config/schema.ts';
import { withoutSecrets } from './stack-config/secrets.ts';

/**
 * A stack's settings, from the `tablewright:` keys of its `Pulumi.<stack>.yaml`. Pulumi and the command line read the
 * same file through this one schema, so they cannot disagree.
 */
export { stackConfigSchema };

/** The settings with everything filled in that follows from the kind of the stack. */
export type StackSettings = GivenSettings & {
  readonly pitr: NonNullable<GivenSettings['pitr']>;
  readonly protect: boolean;
  readonly backups: { readonly enabled: boolean };
};

export type StackConfig = StackSettings & {
  /** The stack's name as Pulumi knows it. */
  readonly stack: string;
  readonly region: string;
};

export const projectName = 'tablewright';
export const defaultRegion = 'us-east-1';

/** How far back a production stack can be restored unless its file says otherwise; the most that DynamoDB offers. */
const recoveryDays = 35;

/** The settings from a stack file's `config:` map; every problem is reported, with its key and what was expected. */
export function parseStackConfig(
  stack: string,
  config: Readonly<Record<string, unknown>>,
  catalogue: readonly CatalogueTable[],
): StackConfig {
  const { settings, problems: secrets } = withoutSecrets(ownSettings(config));
  const { data, issues } = parseSettings(settings);
  const found = [...secrets, ...issues.flatMap(describeConfigIssue), ...crossProblems(data, catalogue)];
  const problems = found.map((problem) => `${projectName}:${problem}`);
  if (problems.length > 0) {
    throw new TablewrightError(
      'BAD_CONFIG',
      `Pulumi.${stack}.yaml has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}`,
      {
        problems,
        next: `Correct Pulumi.${stack}.yaml; docs/configuration.md lists every key.`,
      },
    );
  }
  const region = config['aws:region'];
  return { ...withKindDefaults(data), stack, region: typeof region === 'string' ? region : defaultRegion };
}

/** The project's own keys, without their namespace. */
function ownSettings(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const own = Object.entries(config).filter(([name]) => name.startsWith(`${projectName}:`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(projectName.length + 1), value]));
}

/** Keys with a problem are left out and the rest is parsed again, so that one round shows every problem of the file. */
function parseSettings(settings: Readonly<Record<string, unknown>>): {
  readonly data: GivenSettings;
  readonly issues: readonly z.core.$ZodIssue[];
} {
  const parsed = stackConfigSchema.safeParse(settings);
  if (parsed.success) return { data: parsed.data, issues: [] };
  const { issues } = parsed.error;
  const broken = issues.flatMap((issue) => {
    if (issue.path.length > 0) return [String(issue.path[0])];
    return issue.code === 'unrecognized_keys' ? issue.keys : [];
  });
  const sound = Object.entries(settings).filter(([name]) => !broken.includes(name));
  return { data: stackConfigSchema.parse(Object.fromEntries(sound)), issues };
}

function withKindDefaults(given: GivenSettings): StackSettings {
  return {
    ...given,
    pitr: given.pitr ?? { enabled: given.production, recoveryDays },
    protect: given.protect ?? given.production,
    backups: { ...given.backups, enabled: given.backups.enabled ?? given.production },
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

/** A table's physical name in a stack. */
export function physicalName(table: Pick<Table, 'name' | 'suffix'>, config: Pick<StackConfig, 'stack' | 'nameSuffix'>): string {
  if (table.suffix === 'always') return table.name + (config.nameSuffix.always ?? `_${config.stack}`);
  const usual = config.stack === bareStack ? '' : `-${config.stack}`;
  return table.name + (config.nameSuffix.outsideProd ?? usual);
}
