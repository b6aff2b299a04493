import type { Table } from '../../../../tables/model/table.ts';
import { countEntries, KeysInFlight, type KnownChange } from '../../../core/migrate/key-loads.ts';
import type { CapacityGate } from '../../capacity/capacity-gate.ts';

/** Keeps a pass from sending single partition keys more than a partition takes: tells the table's gate what is under way. */
export class KeyPace {
  readonly #table: Table;
  readonly #gate: CapacityGate;
  readonly #keys = new KeysInFlight();

  constructor(table: Table, gate: CapacityGate) {
    this.#table = table;
    this.#gate = gate;
  }

  /** These are about to be written; what it returns is called when they are done with. */
  enter(changes: readonly KnownChange[]): () => void {
    // Without a budget nothing is paced: servers on this machine have no partitions.
    if (!this.#gate.isLimited || changes.length === 0) return () => undefined;
    const counts = countEntries(this.#table, changes);
    this.#keys.enter(counts);
    this.#gate.carry(this.#keys.loads);
    return () => {
      this.#keys.leave(counts);
      this.#gate.carry(this.#keys.loads);
    };
  }
}
