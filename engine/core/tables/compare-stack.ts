import type { StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { Feature, Lacks } from '../store/features.ts';
import type { TableDescription } from '../store/store.ts';
import { compareTable, type TableDifference } from './compare-table.ts';

export interface Comparison {
  readonly differences: readonly TableDifference[];
  /** What the server cannot do; what the tables lack for that reason is no difference. */
  readonly lacks: Lacks;
}

/** The part of a comparison that a feature is behind. */
const behind: Readonly<Record<string, Feature>> = { encryption: 'encryption', ttl: 'TTL' };

/** A whole stack against the catalogue. `lacks` is what the server was found to lack; undefined for AWS, which has everything. */
export function compareStack(
  pairs: readonly { readonly table: Table; readonly found: TableDescription | undefined }[],
  config: StackConfig,
  lacks: Lacks | undefined,
): Comparison {
  const all = new Set([...(lacks ?? []), ...(lacks !== undefined && encryptsNothing(pairs) ? ['encryption' as const] : [])]);
  const differences = pairs.flatMap(({ table, found }) => compareTable(table, config, found));
  const isOffered = ({ what }: TableDifference): boolean => {
    const feature = behind[what];
    return feature === undefined || !all.has(feature);
  };
  return { differences: differences.filter(isOffered), lacks: all };
}

/** Every table was created with encryption; where no single one shows any, the server has none to show. */
function encryptsNothing(pairs: readonly { readonly found: TableDescription | undefined }[]): boolean {
  const found = pairs.flatMap((pair) => (pair.found === undefined ? [] : [pair.found]));
  return found.length > 0 && found.every(({ encryption }) => encryption === undefined);
}
