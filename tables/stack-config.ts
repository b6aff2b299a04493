import { z } from 'zod';
import { TablewrightError } from './model/error.ts';
import { describeIssue } from './model/item.ts';
import type { StackKind, Table } from './model/table.ts';

/**
 * A stack's settings, from the `tablewright:` keys of its `Pulumi.<stack>.yaml`. Pulumi and the command line read the
 * same file through this one schema, so they cannot disagree.
 */
const units = z.int().min(1);

const capacity = z.strictObject({ read: units, write: units });

export const stackConfigSchema = z.strictObject({
  /** Production stacks are guarded: no seeding, confirmation asked, tables protected. */
  production: z.boolean().default(false),
  /** The AWS account that this stack lives in; a caller from another one is refused. */
  account: z
    .string()
    .regex(/^\d{12}$/, 'expected the 12 digits of an AWS account, in quotes')
    .optional(),
  /** Which systems to deploy; all of the catalogue's when left out. The ledger always is. */
  systems: z.array(z.string()).optional(),
  /** Replaces the suffix of table names: `_dev` for OMS tables, `-dev` for the others. */
  nameSuffix: z.strictObject({ always: z.string().optional(), outsideProd: z.string().optional() }).default({}),
  pitr: z
    .strictObject({ enabled: z.boolean(), recoveryDays: z.int().min(1).max(35).default(35) })
    .default({ enabled: false, recoveryDays: 35 }),
  /** Capacity that the migration runner may use, in units per second per table, index writes included. */
  budgets: capacity.default({ read: 500, write: 500 }),
});

export type StackSettings = z.output<typeof stackConfigSchema>;

export interface StackConfig extends StackSettings {
  /** The stack's name as Pulumi knows it. */
  readonly stack: string;
  readonly region: string;
}

export const projectName = 'tablewright';
export const defaultRegion = 'us-east-1';

/** The settings from a stack file's `config:` map; every problem is reported, with its key and what was expected. */
export function parseStackConfig(
  stack: string,
  config: Readonly<Record<string, unknown>>,
  catalogue: readonly Pick<Table, 'system'>[],
): StackConfig {
  const own = Object.entries(config).filter(([name]) => name.startsWith(`${projectName}:`));
  const settings = Object.fromEntries(own.map(([name, value]) => [name.slice(projectName.length + 1), value]));
  const parsed = stackConfigSchema.safeParse(settings);
  const problems = parsed.success ? systemProblems(parsed.data, catalogue) : parsed.error.issues.map(describeConfigIssue);
  if (!parsed.success || problems.length > 0) {
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
  return { ...parsed.data, stack, region: typeof region === 'string' ? region : defaultRegion };
}

function describeConfigIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const place = issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}.`;
    return issue.keys.map((name) => `${projectName}:${place}${name}: unknown key`).join('; ');
  }
  return `${projectName}:${describeIssue(issue)}`;
}

function systemProblems(settings: StackSettings, catalogue: readonly Pick<Table, 'system'>[]): readonly string[] {
  const known = new Set(catalogue.map((table) => table.system));
  return (settings.systems ?? [])
    .filter((system) => !known.has(system))
    .map((system) => `${projectName}:systems: expected some of ${[...known].join(', ')}, found ${system}`);
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

/** The name of the production stack whose tables keep their documented bare names. */
const bareStack = 'prod';

/** A table's physical name in a stack. */
export function physicalName(table: Pick<Table, 'name' | 'suffix'>, config: Pick<StackConfig, 'stack' | 'nameSuffix'>): string {
  if (table.suffix === 'always') return table.name + (config.nameSuffix.always ?? `_${config.stack}`);
  const usual = config.stack === bareStack ? '' : `-${config.stack}`;
  return table.name + (config.nameSuffix.outsideProd ?? usual);
}
