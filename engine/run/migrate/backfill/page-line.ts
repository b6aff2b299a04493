import type { SegmentRecord, SegmentUnit } from '../../../../tables/model/ledger/migration-records.ts';
import { slownessOf } from '../../../core/capacity/slow-text.ts';
import { putSegment } from '../../../core/ledger/segment-write.ts';
import type { PageAnswer } from '../../../core/store/store.ts';
import { WakeUp } from '../../capacity/wake-up.ts';
import { checkpointBehind, deadWrites, isCut } from './checkpoint.ts';
import { type JournalWriter, PageJournal } from './journal-writer.ts';
import type { Orphans } from './orphans.ts';
import type { PassContext } from './pass-context.ts';
import { type SettledPage, settlePage, type WriteTurn } from './settle-page.ts';

/** A page between its decision and its checkpoint. */
interface OpenPage {
  readonly answer: PageAnswer;
  readonly journal: PageJournal;
  settled: SettledPage | undefined;
}

export interface PageLineOptions {
  readonly context: PassContext;
  readonly unit: SegmentUnit;
  /** The checkpoint that is gone on from. */
  readonly record: SegmentRecord;
  readonly journal: JournalWriter;
  readonly orphans: Orphans;
}

/**
 * The pages of a segment that are under way, one behind the other: while one is written, the next is decided on and journalled.
 * Checkpoints take them in from the front; see docs/design/migrations.md, "Pages overlap".
 */
export class PageLine {
  readonly #options: PageLineOptions;
  readonly #open: OpenPage[] = [];
  readonly #work = new Set<Promise<void>>();
  readonly #taken = new WakeUp();
  #record: SegmentRecord;
  #turn: Promise<void> = Promise.resolve();
  #isStoring = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: PageLineOptions) {
    this.#options = options;
    this.#record = options.record;
  }

  /** Waits until one more page may be begun. False when none will be: one has failed, or was stopped. */
  async hasRoom(): Promise<boolean> {
    const { pagesInFlight } = this.#options.context.environment.tuning;
    while (this.#goesOn() && this.#open.length >= pagesInFlight) await this.#taken.wait();
    return this.#goesOn();
  }

  begin(answer: PageAnswer): void {
    const page: OpenPage = { answer, journal: new PageJournal(this.#options.journal), settled: undefined };
    const before = this.#turn;
    let pass = (): void => undefined;
    this.#turn = new Promise((resolve) => {
      pass = resolve;
    });
    this.#open.push(page);
    const work: Promise<void> = this.#settle(page, { before, pass }).then(() => void this.#work.delete(work));
    this.#work.add(work);
  }

  /** Waits for all that is under way; what a stopped page has done up to its first item that was not sent is kept. */
  async drain(): Promise<SegmentRecord> {
    await Promise.all(this.#work);
    if (this.#failure === undefined && this.#open.length > 0) await this.#store(this.#open.length);
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#record;
  }

  /** Behind a page that was stopped nothing will be taken in. */
  #goesOn(): boolean {
    return this.#failure === undefined && !this.#open.some(({ settled }) => settled !== undefined && isCut(settled));
  }

  async #settle(page: OpenPage, turn: WriteTurn): Promise<void> {
    const { context, orphans } = this.#options;
    try {
      page.settled = await settlePage(context, page.answer.items, page.journal, orphans, turn);
      await this.#takeIn();
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      turn.pass();
      this.#taken.notifyAll();
    }
  }

  async #takeIn(): Promise<void> {
    if (this.#isStoring) return;
    this.#isStoring = true;
    try {
      for (let count = this.#ripe(); count > 0; count = this.#ripe()) {
        await this.#store(count);
        this.#taken.notifyAll();
      }
    } finally {
      this.#isStoring = false;
    }
  }

  /** Of a worker, whom nobody sees otherwise. */
  #pace(): Pick<SegmentRecord, 'pace'> {
    const { context, unit, record } = this.#options;
    if (unit.spread !== true) return {};
    const { environment, tableName, meter } = context;
    const { write, read } = environment.gates;
    const slow = slownessOf(write.of(tableName).status().slow, read.of(tableName).status().slow);
    const throttles = (record.pace?.throttles ?? 0) + meter.throttles;
    return { pace: { throttles, ...(slow === undefined ? {} : { slow }) } };
  }

  /** How many pages from the front a checkpoint may take in: all of them settled, and the journal can be cut behind them. */
  #ripe(): number {
    let ripe = 0;
    let end = 0;
    for (const [at, { settled, journal }] of this.#open.entries()) {
      if (settled === undefined || isCut(settled)) break;
      end = Math.max(end, journal.end);
      if (end <= this.#firstPartFrom(at + 1)) ripe = at + 1;
    }
    return ripe;
  }

  /** The first part of the pages from there on; what they will yet write comes behind all parts that are there. */
  #firstPartFrom(at: number): number {
    return Math.min(
      this.#options.journal.parts,
      ...this.#open.slice(at).map(({ journal }) => journal.first ?? Number.POSITIVE_INFINITY),
    );
  }

  /** Stores the checkpoint behind so many pages, or in the midst of the first of them that was stopped. */
  async #store(count: number): Promise<void> {
    const { context, unit, journal, orphans } = this.#options;
    const pages = this.#open
      .slice(0, count)
      .flatMap(({ answer, settled }) => (settled === undefined ? [] : [{ answer, settled }]));
    const cut = pages.findIndex(({ settled }) => isCut(settled));
    const whole = cut === -1 ? pages : pages.slice(0, cut);
    for (const { settled } of whole) orphans.pass(settled.met);
    const end = { parts: this.#firstPartFrom(whole.length), orphans: orphans.place };
    const before = this.#record;
    const record = { ...checkpointBehind(context, before, pages, end), ...this.#pace() };
    const dead = pages.slice(0, whole.length + 1).flatMap(({ settled }) => settled.dead);
    const marks = [...journal.takeMarks(), ...orphans.takeMarks()];
    await context.ledger.commit([...deadWrites(context, unit, dead), ...marks, putSegment(record)]);
    this.#record = record;
    this.#open.splice(0, count);
    context.meter.pass(
      before,
      record,
      pages.map(({ settled }) => settled),
    );
    if (dead.length > 0) await context.countDead?.();
  }
}
