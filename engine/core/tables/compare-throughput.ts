import type { Limits, ScaledCapacity, TableBilling } from '../../../tables/model/stack/config/billing.ts';
import { billingOf, physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { UnitsPerSecond } from '../store/store.ts';
import type { TableDifference } from './compare-table.ts';
import type { DeployedTable } from './deployed-table.ts';
import { liftedBySetting, type Remedy, warmedByHand } from './remedies.ts';

/** A table or one of its indexes: what the stack's file says of its throughput, and what is there. */
interface Part {
  readonly index: string | undefined;
  readonly capacity: UnitsPerSecond;
  readonly maximum: Partial<UnitsPerSecond> | undefined;
  readonly warm: Partial<UnitsPerSecond> | undefined;
}

/** The capacity that nothing scales, the most of an on-demand table, and what it takes at once. */
export function compareThroughput(table: Table, config: StackConfig, found: DeployedTable): readonly TableDifference[] {
  const { description } = found;
  const { maximum, warm } = description.settings;
  const parts: readonly Part[] = [
    { index: undefined, capacity: description.capacity, maximum, warm },
    ...description.indexes
      .filter(({ name }) => table.indexes.some((index) => index.name === name))
      .map((index) => ({ index: index.name, capacity: index.capacity, maximum: index.maximum, warm: index.warm })),
  ];
  const billing = billingOf(table, config);
  const isBilledSo = (billing.mode === 'provisioned') === (description.billing === 'PROVISIONED');
  return parts.flatMap((part) => [
    // A table that is billed otherwise has other numbers, which says nothing more.
    ...(isBilledSo ? billed(table, config, billing, part, found.isAws) : []),
    ...warmed(table, config, part),
  ]);
}

function billed(
  table: Table,
  config: StackConfig,
  billing: TableBilling,
  part: Part,
  isAws: boolean,
): readonly TableDifference[] {
  const { index } = part;
  if (billing.mode === 'provisioned') return fixed(table, config, part, (index && billing.indexes[index]) || billing.table);
  if (part.maximum === undefined && !isAws) return [];
  const limits = index === undefined ? billing.table : billing.indexes[index];
  const remedy = limits === undefined ? liftedBySetting(table, config) : undefined;
  return differs(table, config, index, 'maximum', shownLimits(limits), shownLimits(part.maximum), remedy);
}

/** What scaling moves is its own; a way without an upper bound stays as the file says. */
function fixed(table: Table, config: StackConfig, { index, capacity }: Part, wanted: ScaledCapacity): readonly TableDifference[] {
  return (['read', 'write'] as const).flatMap((way) =>
    wanted.max?.[way] === undefined
      ? differs(table, config, index, `${way} capacity`, `${wanted[way]} units`, `${capacity[way]} units`)
      : [],
  );
}

/** DynamoDB raises it by itself and never lowers it, so more is no difference. */
function warmed(table: Table, config: StackConfig, { index, warm: found }: Part): readonly TableDifference[] {
  const settings = config.tables[table.name]?.warm;
  const wanted = index === undefined ? settings : settings?.indexes[index];
  if (wanted === undefined || found === undefined) return [];
  return (['read', 'write'] as const).flatMap((way) => {
    const [least, there] = [wanted[way], found[way] ?? 0];
    if (least === undefined || there >= least) return [];
    const name = physicalName(table, config);
    const remedy = warmedByHand({ table: name, index, wanted: { [way]: least }, region: config.region });
    return differs(table, config, index, `warm ${way}s`, `${least} units or more`, `${there} units`, remedy);
  });
}

function differs(
  table: Table,
  config: StackConfig,
  index: string | undefined,
  what: string,
  expected: string,
  found: string,
  remedy?: Remedy,
): readonly TableDifference[] {
  if (expected === found) return [];
  const named = index === undefined ? what : `${what} of index ${index}`;
  return [{ table: physicalName(table, config), what: named, expected, found, ...(remedy === undefined ? {} : { remedy }) }];
}

function shownLimits(limits: Limits | Partial<UnitsPerSecond> | undefined): string {
  const units = (limit: number | 'off' | undefined) => (limit === undefined || limit === 'off' ? 'none' : String(limit));
  const [read, write] = [units(limits?.read), units(limits?.write)];
  return read === 'none' && write === 'none' ? 'none' : `${read} read, ${write} write units a second`;
}
