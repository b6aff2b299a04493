import { standingPrices } from '../../../tables/model/stack/standing-cost.ts';
import type { TableDescription } from '../store/store.ts';

/** What has to take more writes at once than it does. */
export interface Warming {
  /** The physical table. */
  readonly table: string;
  /** An index of it; undefined for the table itself. */
  readonly index: string | undefined;
  readonly from: number;
  /** Write units per second. */
  readonly to: number;
  /** Once, in US dollars. */
  readonly cost: number;
}

/**
 * Tables and indexes whose warm throughput is below what a backfill is to write. A provisioned table takes what it is provisioned for,
 * and one whose server does not say is left alone.
 */
export function planWarming(tables: readonly TableDescription[], units: number): readonly Warming[] {
  return tables
    .filter(({ billing }) => billing === 'PAY_PER_REQUEST')
    .flatMap(({ name, settings, indexes }) => [
      ...warmingOf(name, undefined, settings.warm?.write, units),
      ...indexes.flatMap((index) => warmingOf(name, index.name, index.warm?.write, units)),
    ]);
}

function warmingOf(table: string, index: string | undefined, from: number | undefined, to: number): readonly Warming[] {
  if (from === undefined || from >= to) return [];
  return [{ table, index, from, to, cost: warmingCost(to - from) }];
}

/**
 * That raising it is charged, and what is there by itself is not, AWS says (Developer Guide, "Understanding DynamoDB warm
 * throughput"). The price itself could not be read: the difference, once, at what a provisioned unit costs an hour in
 * us-east-1 is an assumption, and the plan says so.
 */
export function warmingCost(units: number): number {
  return units * standingPrices.writeUnitHour;
}

export interface WarmRequest {
  readonly TableName: string;
  readonly WarmThroughput?: { readonly WriteUnitsPerSecond: number };
  readonly GlobalSecondaryIndexUpdates?: {
    readonly Update: { readonly IndexName: string; readonly WarmThroughput: { readonly WriteUnitsPerSecond: number } };
  }[];
}

/** One request a table: DynamoDB takes the table and its indexes together. */
export function warmRequests(warmings: readonly Warming[]): readonly WarmRequest[] {
  const names = [...new Set(warmings.map(({ table }) => table))];
  return names.map((TableName) => {
    const own = warmings.filter(({ table }) => table === TableName);
    const ofTable = own.find(({ index }) => index === undefined);
    const updates = own.flatMap(({ index, to }) =>
      index === undefined ? [] : [{ Update: { IndexName: index, WarmThroughput: { WriteUnitsPerSecond: to } } }],
    );
    return {
      TableName,
      ...(ofTable === undefined ? {} : { WarmThroughput: { WriteUnitsPerSecond: ofTable.to } }),
      ...(updates.length === 0 ? {} : { GlobalSecondaryIndexUpdates: updates }),
    };
  });
}
