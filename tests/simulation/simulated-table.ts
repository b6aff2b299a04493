import type { Random } from '../../engine/core/seed/random.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../tables/model/canonical.ts';
import type { Table } from '../../tables/model/table.ts';

interface Version {
  readonly atMs: number;
  readonly item: Item | undefined;
}

/** Readers without consistency, and indexes, may see an item as it was; older versions than the last few nobody sees. */
const keptVersions = 12;

/** The items of a table, each with the versions that it had of late. */
export class SimulatedTable {
  readonly schema: Table;
  readonly #versions = new Map<string, readonly Version[]>();

  constructor(schema: Table) {
    this.schema = schema;
  }

  identityOf(item: Item): string {
    return keyIdentity(this.schema.key, item);
  }

  get(identity: string): Item | undefined {
    return this.#versions.get(identity)?.at(-1)?.item;
  }

  set(identity: string, item: Item | undefined, atMs: number): void {
    const known = this.#versions.get(identity) ?? [];
    this.#versions.set(identity, [...known.slice(1 - keptVersions), { atMs, item }]);
  }

  /** All items as they are. */
  present(): readonly Item[] {
    return [...this.#versions.values()].map((versions) => versions.at(-1)?.item).filter((item) => item !== undefined);
  }

  /** All items as a reader sees them who may be this late, with each item by an amount of its own. */
  seenAt(nowMs: number, maxLagMs: number, random: Random): readonly Item[] {
    const seen = [...this.#versions.values()].map((versions) => asOf(versions, nowMs, maxLagMs, random)?.item);
    return seen.filter((item) => item !== undefined);
  }

  /** One item as such a reader sees it. */
  seenOne(identity: string, nowMs: number, maxLagMs: number, random: Random): Item | undefined {
    return asOf(this.#versions.get(identity) ?? [], nowMs, maxLagMs, random)?.item;
  }
}

function asOf(versions: readonly Version[], nowMs: number, maxLagMs: number, random: Random): Version | undefined {
  const last = versions.at(-1);
  if (last === undefined || last.atMs <= nowMs - maxLagMs) return last;
  const at = nowMs - random.below(maxLagMs + 1);
  return versions.findLast((version) => version.atMs <= at);
}
