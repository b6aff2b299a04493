import { dropIndexCommand } from '../../../tables/model/stack/drop-index-command.ts';
import { billingOf, type StackConfig, stackKind } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { UnitsPerSecond } from '../store/store.ts';
import type { FoundScaling } from './attachments.ts';

/** What to do about a difference that one deployment does not make go. */
export interface Remedy {
  /** Why, and what the commands do, as a sentence that ends before them. */
  readonly why: string;
  readonly commands: readonly string[];
  /** A deployment leaves it as it is. */
  readonly stays?: true;
  /** Where it takes two deployments; `commands` are those of this table alone. */
  readonly around?: Around;
}

/** Settings around the first of two deployments. */
export interface Around {
  readonly set: readonly string[];
  readonly unset: string;
}

/** A deployment is of all tables, so those that take two take the same two: one by one, the first would fail at the others. */
export function twoDeployments(stack: string, around: readonly Around[]): readonly string[] {
  const up = `npx pulumi up -s ${stack}`;
  return [...new Set(around.flatMap(({ set }) => set)), up, ...new Set(around.map(({ unset }) => unset)), up];
}

/** Pulumi drops an index as long as the table keeps another. */
export function droppedByHand(table: Pick<Table, 'indexes'>, found: string, index: string, region: string): Remedy | undefined {
  if (table.indexes.length > 0) return undefined;
  return {
    why: 'Pulumi leaves an index in place where a table keeps none; drop it with:',
    commands: [dropIndexCommand({ table: found, index, region })],
  };
}

/** DynamoDB takes no other attribute for a TTL that is on, and one change an hour (Developer Guide, "Enable Time to Live"). */
export function movedTtl(table: string, from: string, { stack, region }: Pick<StackConfig, 'stack' | 'region'>): Remedy {
  const off = `--time-to-live-specification 'Enabled=false,AttributeName=${from}'`;
  return {
    why: 'DynamoDB moves a TTL in two steps; the first switches it off, the second, an hour later, switches the new one on:',
    commands: [
      `aws dynamodb update-time-to-live --region ${region} --table-name ${table} ${off}`,
      `npx pulumi up --refresh -s ${stack}`,
    ],
  };
}

/** A deployment takes away only what it made itself. */
export function stopsScaling(found: FoundScaling, region: string): Remedy {
  const { resourceId, scalableDimension } = found;
  const what = `--resource-id ${resourceId} --scalable-dimension ${scalableDimension}`;
  return {
    why: 'somebody else made it, so Pulumi leaves it; say the same bounds by billing in the stack’s file, or take it away with:',
    commands: [`aws application-autoscaling deregister-scalable-target --region ${region} --service-namespace dynamodb ${what}`],
    stays: true,
  };
}

/** As above. */
export function stopsCounting(counted: {
  readonly table: string;
  readonly index: string | undefined;
  readonly region: string;
}): Remedy {
  const { table, index, region } = counted;
  const target = `--table-name ${table}${index === undefined ? '' : ` --index-name ${index}`}`;
  return {
    why: 'somebody else switched it on, so Pulumi leaves it; say it by contributorInsights in the stack’s file, or switch it off with:',
    commands: [`aws dynamodb update-contributor-insights --region ${region} ${target} --contributor-insights-action DISABLE`],
    stays: true,
  };
}

/** Pulumi leaves a warm throughput alone once the table is there. */
export function warmedByHand(warmed: {
  readonly table: string;
  readonly index: string | undefined;
  readonly wanted: Partial<UnitsPerSecond>;
  readonly region: string;
}): Remedy {
  const { table, index, wanted, region } = warmed;
  const units = {
    ...(wanted.read === undefined ? {} : { ReadUnitsPerSecond: wanted.read }),
    ...(wanted.write === undefined ? {} : { WriteUnitsPerSecond: wanted.write }),
  };
  const change =
    index === undefined
      ? `--warm-throughput '${JSON.stringify(units)}'`
      : `--global-secondary-index-updates '${JSON.stringify([{ Update: { IndexName: index, WarmThroughput: units } }])}'`;
  return {
    why: 'a deployment warms new tables only, and this is paid once; raise it with:',
    commands: [`aws dynamodb update-table --region ${region} --table-name ${table} ${change}`],
    stays: true,
  };
}

/** Pulumi’s provider sends nothing for a maximum that is left out, and DynamoDB refuses the update. */
export function liftedBySetting(table: Table, config: StackConfig): Remedy {
  const path = `'tablewright:tables["${table.name}"].billing`;
  return {
    why: 'a maximum that the stack’s file does not name stays, and the deployment fails; name it, or lift it with:',
    commands: [
      `npx pulumi config set --path ${path}.mode' on-demand -s ${config.stack}`,
      `npx pulumi config set --path ${path}.maximum' off -s ${config.stack}`,
      `npx pulumi up -s ${config.stack}`,
    ],
    stays: true,
  };
}

export const anotherKey: Remedy = {
  why: 'a deployment would replace the table, and its items would be lost; export it first, and import it into the new one.',
  commands: [],
};

/**
 * Pulumi leaves the capacity of a table that scales as it is, and an on-demand table has none: the deployment that turns it to
 * provisioned has to write it.
 */
export function writtenOnce(table: Table, config: StackConfig): Remedy | undefined {
  const billing = billingOf(table, config);
  if (billing.mode !== 'provisioned' || billing.drift === 'correct') return undefined;
  const scales = [billing.table, ...Object.values(billing.indexes)].some(({ max }) => max !== undefined);
  if (!scales) return undefined;
  const around = driftLines(table, config);
  return {
    why: 'a table that scales turns to provisioned in two deployments; the first writes its capacity:',
    commands: twoDeployments(config.stack, [around]),
    around,
  };
}

/**
 * Pulumi leaves the capacity of indexes that scale as it is, by their place in the list (`infra/table/table-options.ts`). The state of a
 * table that was imported has them in an order of the provider's, and only those that are there: the capacity of one would go to another,
 * and a place that is missing ends the deployment. So the first one writes them all.
 */
export function writtenAfterImport(table: Table, config: StackConfig, found: readonly string[]): Around | undefined {
  const billing = billingOf(table, config);
  if (billing.mode !== 'provisioned' || billing.drift === 'correct') return undefined;
  const scales = Object.values(billing.indexes).some(({ max }) => max !== undefined);
  const isOnly = table.indexes.length === 1 && found.length === 1;
  return scales && !isOnly ? driftLines(table, config) : undefined;
}

/** The settings that write the capacity, where the table's billing stands; the catalogue's is written down first. */
function driftLines(table: Table, config: StackConfig): Around {
  const own = `tables["${table.name}"].billing`;
  const line = (verb: string, path: string, value = '') =>
    `npx pulumi config ${verb} --path 'tablewright:${path}'${value === '' ? '' : ` ${value}`} -s ${config.stack}`;
  const isOwn = config.tables[table.name]?.billing !== undefined;
  if (!isOwn && config.billing === undefined) {
    const parts = leaves(own, { ...table.billing[stackKind(config)], drift: 'correct' });
    return { set: parts.map(([path, value]) => line('set', path, value)), unset: line('rm', own) };
  }
  const place = `${isOwn ? own : 'billing'}.drift`;
  return { set: [line('set', place, 'correct')], unset: line('rm', place) };
}

function leaves(path: string, value: unknown): readonly (readonly [path: string, value: string])[] {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[path, String(value)]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(`${path}.${name}`, inner));
}
