import type { Item } from '../../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../../tables/model/canonical.ts';
import { showKey } from '../../../../tables/model/item.ts';
import { changeUnits } from '../../../core/migrate/change-units.ts';
import { addUnits, type ConsumedUnits, noUnits } from '../../../core/migrate/counts.ts';
import { decideItem, type GuardedChange, type ItemDecision } from '../../../core/migrate/decide-item.ts';
import { checkDecisions, type PageDecisionOptions } from '../../../core/migrate/decide-twice.ts';
import { journalEntryOf } from '../../../core/migrate/journal.ts';
import { changeEntry, insertEntries, updateStatement } from '../../../core/migrate/statement.ts';
import { batchGetAll } from '../../store/read-keys.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import { batchesPerSegment, readContextOf } from '../environment.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { OrphanedPart, Orphans } from './orphans.ts';
import { type Fate, PageFates } from './page-fates.ts';
import { decideOptions, type PassContext, PassMeter } from './pass-context.ts';
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
  /** Parts of earlier writers, once for each of their items that was met. */
  readonly met: readonly OrphanedPart[];
}

/** The journal, as a page sees it. */
type Journal = Pick<JournalWriter, 'append' | 'skip'>;

/** When a page may send. */
export interface WriteTurn {
  /** The page before it has begun its last batch. */
  readonly before: Promise<void>;
  /** Lets the next page send. */
  readonly pass: () => void;
}

/** Items that are decided on in one go: a millisecond's work. */
const itemsAtOnce = 50;

const noTurn: WriteTurn = { before: Promise.resolve(), pass: () => undefined };

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
  journal: Journal,
  orphans: Orphans,
  turn: WriteTurn = noTurn,
): Promise<SettledPage> {
  const page = new PageSettler(context, items, journal, orphans, turn);
  return page.settle();
}

class PageSettler {
  readonly #context: PassContext;
  readonly #items: readonly Item[];
  readonly #journal: Journal;
  readonly #orphans: Orphans;
  readonly #turn: WriteTurn;
  readonly #met: OrphanedPart[] = [];
  readonly #fates: PageFates;
  readonly #dead: DeadItem[] = [];
  /** Keys of writes that an earlier try may have carried out. */
  readonly #perhapsDone = new Set<string>();
  #conflicts = 0;
  #done = 0;
  #units: ConsumedUnits = noUnits;

  constructor(context: PassContext, items: readonly Item[], journal: Journal, orphans: Orphans, turn: WriteTurn) {
    this.#context = context;
    this.#items = items;
    this.#journal = journal;
    this.#orphans = orphans;
    this.#turn = turn;
    this.#fates = new PageFates(items.length);
  }

  async settle(): Promise<SettledPage> {
    const decisions = await this.#decide();
    let work = await this.#withoutPresent(decisions.flatMap((decision, at) => this.#follow(at, this.#items[at] ?? {}, decision)));
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
    const sums = { conflicts: this.#conflicts, dead: this.#dead, units: this.#units, done: this.#done };
    return { fates: this.#fates.all(), ...sums, met: this.#met };
  }

  /** In several goes: meanwhile the page before this one is written, and its next batch should not wait for all of this one. */
  async #decide(): Promise<readonly ItemDecision[]> {
    const { step, environment } = this.#context;
    const options = this.#options();
    const decisions: ItemDecision[] = [];
    for (const [at, item] of this.#items.entries()) {
      if (at > 0 && at % itemsAtOnce === 0) await environment.breathe?.();
      decisions.push(decideItem(step, item, options));
    }
    checkDecisions(step, this.#items, decisions, options);
    return decisions;
  }

  #options(): PageDecisionOptions {
    return decideOptions(this.#context);
  }

  /** What follows from a decision; what is left unmarked was not sent. */
  #follow(at: number, item: Item, decision: ItemDecision): readonly Work[] {
    const { step } = this.#context;
    // Too many have failed: the run is about to end, and nothing more is begun.
    if (this.#isOver()) return [];
    if (decision.kind === 'change') return decision.changes.map((change) => ({ at, change }));
    // Of an insert the journal names the new items, which the scan may meet themselves.
    const orphan = step.kind === 'backfill' ? keyIdentity(step.table.key, item) : '';
    const isOrphan = step.kind === 'backfill' && this.#orphans.has(orphan);
    if (decision.kind === 'poison') this.#kill(at, decision.reason);
    // Written by an earlier run that was cut off before its checkpoint.
    else this.#fates.mark(at, decision.kind === 'right' && isOrphan ? 'changed' : decision.kind);
    if (isOrphan) this.#met.push(...this.#orphans.meet(orphan));
    return [];
  }

  /** Items that are to be inserted, without those that are there. */
  async #withoutPresent(work: readonly Work[]): Promise<readonly Work[]> {
    if (this.#context.step.kind !== 'insert' || work.length === 0) return work;
    const { step } = this.#context;
    const items = await this.#present(work.map(({ change }) => change.key));
    if (items === undefined) return this.#unsent(work);
    const begun = new Map<string, Item>();
    return work.filter(({ at, change }) => {
      const identity = keyIdentity(step.table.key, change.key);
      // Two items may give the same new one: the first of them does.
      const there = items.get(identity) ?? begun.get(identity);
      if (there === undefined) {
        begun.set(identity, change.kind === 'insert' ? change.item : {});
        return true;
      }
      const wrong = change.kind === 'insert' ? change.taken?.(there) : undefined;
      if (wrong !== undefined) this.#kill(at, wrong);
      else this.#fates.mark(at, this.#orphans.has(identity) || this.#perhapsDone.has(identity) ? 'changed' : 'right');
      this.#met.push(...this.#orphans.meet(identity));
      return false;
    });
  }

  async #write(work: readonly Work[]): Promise<readonly ChangeResult[]> {
    const { environment, step, tableName, stop, ledger, keyPace, unit, whilePaused, atOnce = unit.segments } = this.#context;
    const writes = work.map(({ change }) => guarded(tableName, change, changeUnits(step.table, change, 0)));
    const batchesInFlight = batchesPerSegment(environment, atOnce);
    const { before, pass: onBegun } = this.#turn;
    const hooks = { onSent: this.#noteSent, onBegun };
    const context = { environment, table: step.table, tableName, lease: ledger.lease, stop, batchesInFlight, ...hooks };
    await before;
    // A page whose turn comes while the run is paused has not begun to write.
    await whilePaused();
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
        this.#fates.mark(at, this.#isOrphaned(change, consequence.fate) ? 'changed' : consequence.fate);
        if (consequence.fate !== 'unsent') this.#meet(change, consequence.kept);
        return [];
      case 'dead':
        this.#kill(at, consequence.reason);
        this.#meet(change, consequence.kept);
        return [];
      case 'conflict':
        this.#conflicts += consequence.conflict.mayBeDone ? 0 : 1;
        if (consequence.conflict.mayBeDone) this.#perhapsDone.add(keyIdentity(this.#context.step.table.key, change.key));
        return [{ at, change, conflict: consequence.conflict }];
    }
  }

  /** A new item that is there by now because a replaced worker's last request came late: the change is the migration's all the same. */
  #isOrphaned(change: GuardedChange, fate: Fate): boolean {
    if (change.kind !== 'insert' || fate !== 'right') return false;
    return this.#orphans.has(keyIdentity(this.#context.step.table.key, change.key));
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
      if ('decideOn' in next) return this.#follow(at, next.decideOn, decideItem(step, next.decideOn, this.#options()));
      this.#fates.mark(at, next.fate);
      this.#meet(change, conflict.mayBeDone);
      return [];
    });
    return this.#withoutPresent(work);
  }

  /** What an earlier run journalled of the item is settled with it; `written`: by this run, under an entry of its own. */
  #meet(change: GuardedChange, written: boolean): void {
    const identity = keyIdentity(this.#context.step.table.key, change.key);
    if (!this.#orphans.has(identity)) return;
    this.#met.push(...this.#orphans.meet(identity, written ? journalEntryOf(change) : undefined));
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

  #isOver(): boolean {
    const { environment, meter } = this.#context;
    return meter.dead > environment.tuning.maxDeadLetters;
  }

  #kill(at: number, reason: string): void {
    const { environment, meter, step, tableName, unit } = this.#context;
    const key = this.#keyAt(at);
    this.#fates.mark(at, 'dead');
    this.#dead.push({ key, reason });
    meter.dead += 1;
    if (this.#isOver()) return;
    environment.emit({ kind: 'dead-letter', migration: unit.migration, table: tableName, key: showKey(step.table, key) });
  }
}

function guarded(tableName: string, change: GuardedChange, units: number): GuardedWrite {
  if (change.kind === 'insert') return { units, form: { entries: insertEntries(tableName, change) } };
  const statement = updateStatement(tableName, change);
  return { units, form: statement === undefined ? { entries: [changeEntry(tableName, change)] } : { statement } };
}
