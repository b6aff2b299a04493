/** A change of one place of the engine's source. The text has to be there exactly once: a plant that no longer fits is an error. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A fault that is put into the engine on purpose, to see that the simulation finds it. */
export interface Plant {
  readonly name: string;
  readonly what: string;
  readonly edits: readonly Edit[];
}

const backfill = 'engine/run/migrate/backfill';

export const plants: readonly Plant[] = [
  {
    name: 'drop-a-guard',
    what: 'changes are written without looking whether the item is still as it was read',
    edits: [
      {
        file: 'engine/core/migrate/decide-item.ts',
        find: 'return Object.fromEntries(guarded.map((name) => [name, attributeOf(item, name)]));',
        replace: 'return Object.fromEntries(guarded.slice(0, 0).map((name) => [name, attributeOf(item, name)]));',
      },
    ],
  },
  {
    name: 'skip-a-fence',
    what: 'ledger writes go without the lease',
    edits: [
      {
        file: 'engine/run/ledger/fenced-ledger.ts',
        find: 'return [this.#fence.entry(this.#store.table, at, untilMs), ...entries];',
        replace: 'return entries.length > 0 ? entries : [this.#fence.entry(this.#store.table, at, untilMs)];',
      },
    ],
  },
  {
    name: 'lose-a-chunk',
    what: 'every third chunk of the journal is not stored',
    edits: [
      {
        file: `${backfill}/journal-writer.ts`,
        find: 'this.#options.ledger.commitTogether(writes));',
        replace: 'this.#options.ledger.commitTogether(this.#parts % 3 === 0 ? writes.slice(1) : writes));',
      },
    ],
  },
  {
    name: 'checkpoint-too-early',
    what: 'the checkpoint of a page is stored before its changes are written',
    edits: [
      {
        file: `${backfill}/page-line.ts`,
        find: 'if (settled === undefined || isCut(settled)) break;',
        replace: 'if (at > 0 && (settled === undefined || isCut(settled))) break;',
      },
    ],
  },
  {
    name: 'write-after-the-lease',
    what: 'batches are sent without a look at the lease',
    edits: [
      {
        file: `${backfill}/write-changes.ts`,
        find: 'if (!isHeld(lease, environment.nowMs())) throw lockLost(lease);',
        replace: 'void isHeld; void lockLost; void lease;',
      },
    ],
  },
  {
    name: 'verify-in-name-only',
    what: 'what a verify pass finds left over is not looked at',
    edits: [
      {
        file: 'engine/run/migrate/run-migrations.ts',
        find: 'if (verified.open.length === 0) return',
        replace: 'if (verified.open.length >= 0) return',
      },
    ],
  },
  {
    name: 'roll-back-blindly',
    what: 'a rollback does not look whether the values are still those that were set',
    edits: [
      {
        file: 'engine/core/migrate/journal.ts',
        find: 'const guard: Guard = Object.fromEntries([...Object.entries(entry.set), ...removed]);',
        replace: 'const guard: Guard = Object.fromEntries(removed.slice(0, 0));',
      },
    ],
  },
  {
    name: 'forget-what-may-be-done',
    what: 'a write whose answer was lost is taken out of the journal',
    edits: [
      {
        file: `${backfill}/resolve-conflicts.ts`,
        find: "return { kind: 'conflict', conflict: { item, mayBeDone }, kept: mayBeDone };",
        replace: "return { kind: 'conflict', conflict: { item, mayBeDone }, kept: false };",
      },
    ],
  },
  {
    name: 'claim-by-token-alone',
    what: 'two invocations for one unit both write to the ledger',
    edits: [
      {
        file: 'engine/run/remote/claim-unit.ts',
        find: 'entry: (table) => checkEntry(table, key, this.#mine())',
        replace: "entry: (table) => checkEntry(table, key, equals('token', number(this.lease.token)))",
      },
    ],
  },
  {
    name: 'share-an-attempt',
    what: 'all invocations for a unit number their parts of the journal alike',
    edits: [
      {
        file: 'engine/run/remote/claim-unit.ts',
        find: 'return { lease: this.lease, attempt: this.#attempt,',
        replace: 'return { lease: this.lease, attempt: 1,',
      },
    ],
  },
  {
    name: 'write-after-the-claim',
    what: 'a worker that could not look at its claim for long sends batches all the same',
    edits: [
      {
        file: 'engine/run/remote/claim-unit.ts',
        find: 'this.lease.untilMs = at + silenceMs(this.#environment);',
        replace: 'this.lease.untilMs = at + 1_000 * silenceMs(this.#environment);',
      },
    ],
  },
  {
    name: 'go-on-with-an-old-token',
    what: 'a worker of an execution that no longer holds the lock claims units and works on them',
    edits: [
      {
        file: 'engine/run/remote/execution-watch.ts',
        find: 'return extendLease(this.#environment, this.#lock);',
        replace: 'return (await extendLease(this.#environment, this.#lock)) || true;',
      },
      {
        file: 'engine/run/remote/claim-unit.ts',
        find: 'if (found !== undefined && found.token > token) throw lockLost(lock);',
        replace: 'void lockLost;',
      },
    ],
  },
  {
    name: 'take-any-code',
    what: 'a function does not look whether its migrations are the caller’s',
    edits: [
      {
        file: 'engine/run/remote/adopt-lock.ts',
        find: 'if (problems.length === 0) return;',
        replace: 'if (problems.length >= 0) return;',
      },
    ],
  },
  {
    name: 'speak-out-of-turn',
    what: 'an invocation that speaks for an execution writes although another does by now',
    edits: [
      {
        file: 'engine/run/ledger/lock.ts',
        find: "const lastTurn = turn === undefined ? [] : [equals('turn', number(turn))];",
        replace: "const lastTurn = turn === undefined ? [] : [greater('turn', number(0))];",
      },
    ],
  },
  {
    name: 'reach-past-the-ports',
    what: 'a delay is drawn by the global random numbers',
    edits: [
      {
        file: `${backfill}/write-changes.ts`,
        find: 'environment.tuning.retry, environment.random());',
        replace: 'environment.tuning.retry, Math.random());',
      },
    ],
  },
];

export function plantOf(name: string): Plant {
  const found = plants.find((plant) => plant.name === name);
  if (found !== undefined) return found;
  throw new Error(`there is no plant ${name}; use one of ${plants.map((plant) => plant.name).join(', ')}`);
}
