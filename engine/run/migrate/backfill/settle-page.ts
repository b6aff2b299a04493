import type { Item } from '../../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../../tables/model/canonical.ts';
import { showKey } from '../../../../tables/model/item.ts';
import { changeUnits } from '../../../core/migrate/change-units.ts';
import { addUnits, type ConsumedUnits, noUnits } from '../../../core/migrate/counts.ts';
import { decideItem, type GuardedChange, type ItemDecision } from '../../../core/migrate/decide-item.ts';
import { markValue } from '../../../core/migrate/mark.ts';
import { changeEntry, insertEntries, updateStatement } from '../../../core/migrate/statement.ts';
import { batchGetAll } from '../../store/read-keys.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import { readContextOf } from '../environment.ts';
import type { JournalWriter } from './journal-writer.ts';
import { type Fate, PageFates } from './page-fates.ts';
import { type PassContext, PassMeter } from './pass-context.ts';
import { afterConflict, type Conflict, consequenceOf, maxRounds } from './resolve-conflicts.ts';
import { type ChangeResult, type GuardedWrite, type WriteContext, writeChanges } from './write-changes.ts';

export interface DeadItem {
  readonly key: Item;
  readonly reason: string;
}

export interface SettledPage {
  readonly fates: readonly Fate[];
  readonly conflicts: number;
  readonly dead: readonly DeadItem[];
  readonly units: ConsumedUnits;
  /** Writes that went through. */
  readonly done: number;
}

interface Work {
  readonly at: number;
  readonly change: GuardedChange;
}

interface Refused extends Work {
  readonly conflict: Conflict;
}

/** Decides on every item of a page, journals and writes the changes, and decides anew where a guard did not hold. */
export async function settlePage(
  context: PassContext,
  items: readonly Item[],
  journal: JournalWriter,
  orphans: ReadonlySet<string>,
): Promise<SettledPage> {
  const page = new PageSettler(context, items, journal, orphans);
  return page.settle();
}

class PageSettler {
  readonly #context: PassContext;
  readonly #items: readonly Item[];
  readonly #journal: JournalWriter;
  readonly #orphans: ReadonlySet<string>;
  readonly #fates: PageFates;
  readonly #dead: DeadItem[] = [];
  /** Keys of writes that an earlier try may have carried out. */
  readonly #perhapsDone = new Set<string>();
  #conflicts = 0;
  #done = 0;
  #units: ConsumedUnits = noUnits;

  constructor(context: PassContext, items: readonly Item[], journal: JournalWriter, orphans: ReadonlySet<string>) {
    this.#context = context;
    this.#items = items;
    this.#journal = journal;
    this.#orphans = orphans;
    this.#fates = new PageFates(items.length);
  }

  async settle(): Promise<SettledPage> {
    let work = await this.#withoutPresent(this.#items.flatMap((item, at) => this.#decide(at, item)));
    for (let round = 1; work.length > 0; round += 1) {
      const places = await this.#journal.append(work.map(({ change }) => change));
      const results = await this.#write(work);
      const refused = work.flatMap((entry, at) => this.#settleOne(entry, results[at], () => this.#journal.skip(places[at])));
      if (round >= maxRounds) {
        for (const { at } of refused) this.#kill(at, `somebody else kept changing it, ${maxRounds} tries`);
        break;
      }
      work = await this.#decideAnew(refused);
    }
    return { fates: this.#fates.all(), conflicts: this.#conflicts, dead: this.#dead, units: this.#units, done: this.#done };
  }

  #decide(at: number, item: Item): readonly Work[] {
    const { environment, step, lookup, unit } = this.#context;
    const nowSeconds = Math.floor(environment.nowMs() / 1_000);
    const mark = markValue(unit.migration, unit.generation);
    const options = { nowSeconds, includeExpired: environment.includeExpired, lookup, mark };
    const decision: ItemDecision = decideItem(step, item, options);
    if (decision.kind === 'change') return decision.changes.map((change) => ({ at, change }));
    if (decision.kind === 'poison') this.#kill(at, decision.reason);
    else this.#fates.mark(at, decision.kind === 'right' && this.#isOrphan(item) ? 'changed' : decision.kind);
    return [];
  }

  /** Written by an earlier run that was cut off before its checkpoint. */
  #isOrphan(item: Item): boolean {
    const { step } = this.#context;
    // Of an insert the journal names the new items, which the scan may meet themselves.
    return step.kind === 'backfill' && this.#orphans.size > 0 && this.#orphans.has(keyIdentity(step.table.key, item));
  }

  /** Items that are to be inserted, without those that are there. */
  async #withoutPresent(work: readonly Work[]): Promise<readonly Work[]> {
    if (this.#context.step.kind !== 'insert' || work.length === 0) return work;
    const { step } = this.#context;
    const items = await this.#present(work.map(({ change }) => change.key));
    if (items === undefined) return this.#unsent(work);
    return work.filter(({ at, change }) => {
      const identity = keyIdentity(step.table.key, change.key);
      const there = items.get(identity);
      if (there === undefined) return true;
      const wrong = change.kind === 'insert' ? change.taken?.(there) : undefined;
      if (wrong !== undefined) this.#kill(at, wrong);
      else this.#fates.mark(at, this.#orphans.has(identity) || this.#perhapsDone.has(identity) ? 'changed' : 'right');
      return false;
    });
  }

  async #write(work: readonly Work[]): Promise<readonly ChangeResult[]> {
    const { environment, step, tableName, stop, ledger, keyPace } = this.#context;
    const writes = work.map(({ change }) => guarded(tableName, change, changeUnits(step.table, change, 0)));
    const context = { environment, table: step.table, tableName, lease: ledger.lease, stop, onSent: this.#noteSent };
    const leave = keyPace.enter(work.map(({ at, change }) => ({ change, item: this.#items[at] })));
    try {
      return await writeChanges(context, writes);
    } finally {
      leave();
    }
  }

  readonly #noteSent: WriteContext['onSent'] = (cost, estimate, done) => {
    const { meter } = this.#context;
    const write = PassMeter.writeUnits(cost, estimate);
    this.#units = addUnits(this.#units, { write });
    meter.live({ write, changed: done });
    this.#done += done;
    meter.noteRefusal(cost);
  };

  /** What is left to decide anew, if anything is. */
  #settleOne({ at, change }: Work, result: ChangeResult | undefined, skip: () => void): readonly Refused[] {
    const consequence = consequenceOf(change, result);
    if (!consequence.kept) skip();
    switch (consequence.kind) {
      case 'settled':
        this.#fates.mark(at, consequence.fate);
        return [];
      case 'dead':
        this.#kill(at, consequence.reason);
        return [];
      case 'conflict':
        this.#conflicts += consequence.conflict.mayBeDone ? 0 : 1;
        if (consequence.conflict.mayBeDone) this.#perhapsDone.add(keyIdentity(this.#context.step.table.key, change.key));
        return [{ at, change, conflict: consequence.conflict }];
    }
  }

  async #decideAnew(refused: readonly Refused[]): Promise<readonly Work[]> {
    if (refused.length === 0) return [];
    const { step } = this.#context;
    const unknown = refused.filter(({ conflict }) => conflict.item === undefined).map(({ at }) => this.#keyAt(at));
    const present = await this.#present(unknown);
    if (present === undefined) return this.#unsent(refused);
    const anew = [...new Map(refused.map((entry) => [entry.at, entry])).values()];
    const work = anew.flatMap(({ at, change, conflict }) => {
      const now = conflict.item ?? present.get(keyIdentity(step.table.key, this.#keyAt(at)));
      const next = afterConflict(change, conflict, now);
      if ('decideOn' in next) return this.#decide(at, next.decideOn);
      this.#fates.mark(at, next.fate);
      return [];
    });
    return this.#withoutPresent(work);
  }

  /** The items with these keys as they are now; undefined when the run is stopped. */
  async #present(keys: readonly Item[]): Promise<ReadonlyMap<string, Item> | undefined> {
    const { environment, step, tableName, stop } = this.#context;
    const wanted = { table: { name: tableName, key: step.table.key }, keys, consistent: true };
    const found = await untilStopped(batchGetAll(readContextOf(environment), wanted, stop), stop);
    this.#units = addUnits(this.#units, { read: found?.units ?? 0 });
    return found?.items;
  }

  #unsent(entries: readonly { readonly at: number }[]): readonly Work[] {
    for (const { at } of entries) this.#fates.mark(at, 'unsent');
    return [];
  }

  #keyAt(at: number): Item {
    const item = this.#items[at] ?? {};
    const { hash, range } = this.#context.step.table.key;
    const names = range === undefined ? [hash.name] : [hash.name, range.name];
    return Object.fromEntries(names.map((name) => [name, item[name] ?? { S: '' }]));
  }

  #kill(at: number, reason: string): void {
    const { environment, step, tableName, unit } = this.#context;
    const key = this.#keyAt(at);
    this.#fates.mark(at, 'dead');
    this.#dead.push({ key, reason });
    environment.emit({ kind: 'dead-letter', migration: unit.migration, table: tableName, key: showKey(step.table, key) });
  }
}

function guarded(tableName: string, change: GuardedChange, units: number): GuardedWrite {
  if (change.kind === 'insert') return { units, form: { entries: insertEntries(tableName, change) } };
  const statement = updateStatement(tableName, change);
  return { units, form: statement === undefined ? { entries: [changeEntry(tableName, change)] } : { statement } };
}
