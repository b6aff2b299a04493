import { fromJsonItem } from '../../engine/core/item/dynamo-json.ts';
import { ledgerKey, readLedgerRecord } from '../../engine/core/ledger/ledger-codec.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { lockScope } from '../../engine/run/ledger/lock.ts';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../tables/model/canonical.ts';
import { showKey } from '../../tables/model/item.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { ledgerKeys } from '../../tables/model/ledger/ledger-keys.ts';
import { lockRecord } from '../../tables/model/ledger/lock-records.ts';
import {
  deadLetterRecord,
  type SegmentRecord,
  segmentRecord,
  stateRecord,
  unitRecord,
} from '../../tables/model/ledger/migration-records.ts';
import { literalPrefix } from '../../tables/model/template.ts';
import { segmentOf } from '../support/memory-store.ts';
import { isInIndex, type JudgedMigration, type JudgedStep, things } from './content.ts';
import { JournalIndex } from './journal-index.ts';
import type { Evidence } from './oracle.ts';
import { isWithin } from './served-pages.ts';
import { isClaimOf } from './simulated-client.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Mutation } from './simulated-server.ts';

const lockIdentity = keyIdentity(ledger.key, ledgerKey(lockRecord, { scope: lockScope }));
/** What runs keep: written by whoever holds the lock, and by nobody else. */
const fenced = [
  ledgerKeys.state.PK,
  ...[ledgerKeys.step, ledgerKeys.journalPart, ledgerKeys.unit].map(({ PK }) => literalPrefix(PK)),
];

/** Judges every write of a runner to the ledger, at the moment when it happens. */
export class CheckLedger {
  readonly #evidence: Evidence;
  readonly #journal: JournalIndex;
  readonly #checkpoints = new Map<string, Item | undefined>();
  /** Records that were damaged or taken away by nobody's fault. */
  readonly damaged = new Set<string>();
  /** The largest token that anything was written with. */
  #usedToken = 0;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
    this.#journal = new JournalIndex((part, entry) => {
      const step = evidence.migrations.flatMap(({ steps }) => steps).find(({ table }) => table.name === part.table);
      return step === undefined ? '' : `${evidence.nameOf(step.table)} ${keyIdentity(step.table.key, entry.key)}`;
    });
  }

  check(process: SimulatedProcess, records: readonly Mutation[]): void {
    const lock = records.find(({ identity }) => identity === lockIdentity);
    const holder = lock === undefined ? this.#lock() : lock.before;
    if (lock?.after !== undefined) this.#checkToken(process, lock.before, lock.after);
    for (const record of records) this.#checkOne(process, record, holder);
  }

  #checkOne(process: SimulatedProcess, record: Mutation, holder: Item | undefined): void {
    const key = record.after ?? record.before ?? {};
    const [PK, SK] = [scalarText(key.PK) ?? '', scalarText(key.SK) ?? ''];
    if (fenced.some((prefix) => PK.startsWith(prefix)) && SK !== ledgerKeys.claim.SK) {
      // A worker that does not know yet that the lock's record is damaged writes by its claim.
      this.#usedToken = Math.max(this.#usedToken, tokenOf(holder) || 0);
      if (process.unit !== undefined) this.#checkClaim(process, `${PK} ${SK}`);
      else if (!isHeldBy(holder, process)) {
        const held = holder === undefined ? 'nobody' : `${scalarText(holder.holder)} (token ${tokenOf(holder)})`;
        this.#evidence.report('no write without the lock', `${process.name} wrote ${PK} ${SK} while ${held} held it`);
      }
    }
    if (SK === ledgerKeys.claim.SK && tokenOf(record.after) < tokenOf(record.before) && record.after !== undefined) {
      this.#evidence.report('no write without the lock', `${process.name} claimed ${PK} with a smaller token than it had`);
    }
    if (SK.startsWith(literalPrefix(ledgerKeys.journalPart.SK))) this.#journal.set(record.identity, record.after);
    if (record.after === undefined) return;
    if (SK.startsWith(literalPrefix(ledgerKeys.segment.SK))) this.#checkpoint(process, record, record.after);
    const isVerified = PK === ledgerKeys.state.PK && scalarText(record.after.state) === 'verified';
    const isCutOver = PK === ledgerKeys.cutoverState.PK && scalarText(record.after.state) === 'query';
    if (isCutOver && scalarText(record.before?.state) !== 'query') this.#cutOver(process);
    if (isVerified && scalarText(record.before?.state) !== 'verified') this.#verified(process, SK);
  }

  /** A worker writes of its unit, and while nobody else has claimed it. */
  #checkClaim(process: SimulatedProcess, what: string): void {
    if (this.#hasClaim(process)) return;
    this.#evidence.report('no write without the lock', `${process.name} wrote ${what} while ${process.unit} was another's`);
  }

  #hasClaim(process: SimulatedProcess): boolean {
    const { server, ledgerName } = this.#evidence;
    const key = { PK: { S: process.unit ?? '' }, SK: { S: ledgerKeys.claim.SK } };
    const claim = server.table(ledgerName).get(keyIdentity(ledger.key, key));
    return claim !== undefined && isClaimOf(claim, process);
  }

  /** The token of the lock only grows; whoever takes it gets one that nobody has written anything with. */
  #checkToken(process: SimulatedProcess, before: Item | undefined, after: Item): void {
    const token = tokenOf(after);
    const isTaken = tokenOf(before) !== token || scalarText(before?.holder) !== scalarText(after.holder);
    if (token > this.#usedToken || (token === this.#usedToken && !isTaken) || this.#isLastTokenLost()) return;
    const what = `${process.name} has the lock with token ${token}, and records were written with ${this.#usedToken}`;
    this.#evidence.report('no write without the lock', what);
  }

  /**
   * Where the lock's record and a state are both lost, nothing in reach tells the last token, and clocks that differ may give it
   * again. No harm comes of it: the holder's name is in the fence, and without its state a migration begins a new generation, so
   * that no part of a journal is written over.
   */
  #isLastTokenLost(): boolean {
    const states = this.#evidence.migrations.map(({ migration: { id } }) => ledgerKey(stateRecord, { id }));
    return this.damaged.has(lockIdentity) && states.some((key) => this.damaged.has(keyIdentity(ledger.key, key)));
  }

  #lock(): Item | undefined {
    const { server, ledgerName } = this.#evidence;
    return server.table(ledgerName).get(lockIdentity);
  }

  isHolder(process: SimulatedProcess): boolean {
    return process.unit === undefined ? isHeldBy(this.#lock(), process) : this.#hasClaim(process);
  }

  hasJournalled(mutation: Mutation): boolean {
    return this.#journal.covers(mutation);
  }

  /** Items that a chunk is about, as `table identity`. */
  journalledIn(identity: string): readonly string[] {
    return this.#journal.placesOf(identity);
  }

  /** Every item that a checkpoint passes is right, given up, or was changed by somebody since it was read. */
  #checkpoint(process: SimulatedProcess, { identity, before }: Mutation, after: Item): void {
    // Whoever speaks for an execution copies checkpoints, and makes none.
    if (process.execution !== undefined && process.unit === undefined) return;
    const record = readSegment(after);
    const step = this.#migration(record.migration)?.steps[record.step];
    if (record.pass !== 'apply' || step === undefined) return;
    const place = `${process.name} ${identity}`;
    const known = before === undefined ? undefined : cursorOf(readSegment(before));
    const from = this.#checkpoints.has(place) ? this.#checkpoints.get(place) : known;
    const to = cursorOf(record);
    if (to === undefined && !record.done) return;
    this.#checkpoints.set(place, to ?? from);
    const { server, nameOf } = this.#evidence;
    const table = nameOf(step.table);
    for (const item of server.table(table).present()) {
      if (segmentOf(step.table.key, item, record.segments) !== record.segment) continue;
      if (!isWithin(step.table, item, from, record.done ? undefined : to)) continue;
      if (this.#isSettled(record, step, item)) continue;
      const seenMs = this.#evidence.pages.lastSeenMs(process.name, table, item, false);
      if (seenMs === undefined && this.damaged.has(identity)) continue;
      if (seenMs !== undefined && this.#changedSince(step, item, seenMs)) continue;
      const what = `${record.migration} step ${record.step} segment ${record.segment} is past ${showKey(step.table, item)}`;
      this.#evidence.report('no item past its checkpoint undone', `${what}, which is not done (${process.name})`);
    }
  }

  #isSettled(record: SegmentRecord, step: JudgedStep, item: Item): boolean {
    if (!this.needsWork(step, item)) return true;
    const { server, ledgerName } = this.#evidence;
    const digest = sha256(keyIdentity(step.table.key, item));
    const key = ledgerKey(deadLetterRecord, { migration: record.migration, step: record.step, digest });
    return server.table(ledgerName).get(keyIdentity(ledger.key, key)) !== undefined;
  }

  /** Would the step still change something about the item, or fail on it? */
  needsWork(step: JudgedStep, item: Item): boolean {
    const verdict = step.verdictOn(item);
    if (verdict.kind !== 'insert') return verdict.kind === 'change' || verdict.kind === 'poison';
    const table = this.#evidence.server.table(this.#evidence.nameOf(step.table));
    return verdict.items.some((made) => table.get(table.identityOf(made)) === undefined);
  }

  /** Has somebody else than a migration changed the item, or one that it would make, since then? */
  #changedSince(step: JudgedStep, item: Item, sinceMs: number): boolean {
    const { history, nameOf } = this.#evidence;
    const verdict = step.verdictOn(item);
    const made = verdict.kind === 'insert' ? verdict.items : [];
    const table = nameOf(step.table);
    return [item, ...made].some((one) => history.of({ table, identity: keyIdentity(step.table.key, one) }).foreignMs >= sinceMs);
  }

  /** Every item was looked at, consistently, and is right, or was changed by somebody since. */
  #verified(process: SimulatedProcess, id: string): void {
    const { server, nameOf, pages, report } = this.#evidence;
    for (const step of this.#migration(id)?.steps ?? []) {
      const table = nameOf(step.table);
      for (const item of server.table(table).present()) {
        const seenMs = pages.lastSeenMs(process.crew, table, item, true);
        const isLookedAt = seenMs !== undefined && this.#hasLookedForMade(process.crew, step, item, seenMs);
        if (isLookedAt && !this.needsWork(step, item)) continue;
        if (seenMs !== undefined && this.#changedSince(step, item, seenMs)) continue;
        const looked = isLookedAt ? 'was not right when it was looked at' : 'was never looked at, or not for what it gives';
        report('verified means verified', `${id} is verified, and ${showKey(step.table, item)} ${looked} (${process.name})`);
      }
    }
  }

  /** What is right by luck is not proven: whoever says so has asked for the items that this one gives. */
  #hasLookedForMade(who: string, step: JudgedStep, item: Item, sinceMs: number): boolean {
    const verdict = step.verdictOn(item);
    const { pages, nameOf } = this.#evidence;
    return verdict.kind !== 'insert' || verdict.items.every((made) => pages.hasGotSince(who, nameOf(step.table), made, sinceMs));
  }

  /** Whoever reads by Query from now on misses nothing: all was seen right, or was changed since. */
  #cutOver(process: SimulatedProcess): void {
    const { server, nameOf, pages, history, report } = this.#evidence;
    const table = nameOf(things);
    for (const item of server.table(table).present()) {
      if (isInIndex(item)) continue;
      const seenMs = pages.lastSeenMs(process.crew, table, item, true);
      const { foreignMs } = history.of({ table, identity: keyIdentity(things.key, item) });
      if (seenMs !== undefined && foreignMs >= seenMs) continue;
      report(
        'verified means verified',
        `the pattern is cut over, and ${showKey(things, item)} is not in the index (${process.name})`,
      );
    }
  }

  #migration(id: string): JudgedMigration | undefined {
    return this.#evidence.migrations.find(({ migration }) => migration.id === id);
  }
}

function tokenOf(lock: Item | undefined): number {
  return Number(scalarText(lock?.token) ?? 0);
}

/** Wherever it lies. */
function readSegment(item: Item): SegmentRecord {
  const isApart = (scalarText(item.PK) ?? '').startsWith(literalPrefix(ledgerKeys.unit.PK));
  return readLedgerRecord(isApart ? unitRecord : segmentRecord, item);
}

function isHeldBy(lock: Item | undefined, process: SimulatedProcess): boolean {
  if (process.execution !== undefined) {
    return scalarText(lock?.holder) === process.execution && Number(scalarText(lock?.turn) ?? 0) === process.turn;
  }
  return tokenOf(lock) === process.lease?.token && (lock?.holder === undefined || scalarText(lock.holder) === process.holder);
}

function cursorOf(record: SegmentRecord): Item | undefined {
  return record.cursor === undefined ? undefined : fromJsonItem(record.cursor);
}
