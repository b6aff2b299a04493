import type { Table } from '../../../../tables/model/table.ts';
import { countEntries, KeysInFlight, type KnownChange } from '../../../core/migrate/key-loads.ts';
import type { CapacityGate } from '../../capacity/capacity-gate.ts';

/** Keeps a pass from sending single partitions more than one takes: tells the table's gate what is under way. */
export class KeyPace {
  readonly #table: Table;
  readonly #gate: CapacityGate;
  readonly #segments: (() => number) | undefined;
  readonly #keys = new KeysInFlight();

  /** `segments` that are at work, each in one place of the table; left out where what is written lies anywhere. */
  constructor(table: Table, gate: CapacityGate, segments?: () => number) {
    this.#table = table;
    this.#gate = gate;
    this.#segments = segments;
  }

  /** These are about to be written; what it returns is called when they are done with. */
  enter(changes: readonly KnownChange[]): () => void {
    // Without a budget nothing is paced: servers on this machine have no partitions.
    if (!this.#gate.isLimited || changes.length === 0) return () => undefined;
    const counts = countEntries(this.#table, changes);
    this.#keys.enter(counts);
    this.#tell();
    return () => {
      this.#keys.leave(counts);
      this.#tell();
    };
  }

  #tell(): void {
    this.#gate.carry(this.#keys.loads(this.#segments?.()));
  }
}
