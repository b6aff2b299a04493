import { keyIdentity } from '../../../../tables/model/canonical.ts';
import { keyOf, showKey } from '../../../../tables/model/item.ts';
import {
  deadLetterRecord,
  type PartPlace,
  type SegmentRecord,
  type SegmentUnit,
} from '../../../../tables/model/ledger/migration-records.ts';
import { isoOfEpochMs } from '../../../../tables/model/time.ts';
import { toJsonItem } from '../../../core/item/dynamo-json.ts';
import { type LedgerWrite, put } from '../../../core/ledger/ledger-write.ts';
import { addCounts, addUnits, type Counts } from '../../../core/migrate/counts.ts';
import type { PageAnswer } from '../../../core/store/store.ts';
import type { PassContext } from './pass-context.ts';
import type { DeadItem, SettledPage } from './settle-page.ts';

/** How far the journal has got: this writer's parts, and where those of earlier ones begin that may have items behind the cursor. */
interface JournalEnd {
  readonly parts: number;
  readonly orphans: PartPlace | undefined;
}

interface ReadPage {
  readonly answer: PageAnswer;
  readonly settled: SettledPage;
}

/** Was it stopped before all of it was settled? */
export const isCut = ({ fates }: SettledPage): boolean => fates.includes('unsent');

/**
 * The checkpoint behind the pages; where one was stopped, before its first item that was not sent. Of pages behind that one only
 * the units count, which were consumed whatever becomes of them.
 */
export function checkpointBehind(
  { step, ledger }: Pick<PassContext, 'step' | 'ledger'>,
  record: SegmentRecord,
  pages: readonly ReadPage[],
  { parts, orphans }: JournalEnd,
): SegmentRecord {
  let { counts, units, cursor, done } = record;
  let stopped = false;
  for (const { answer, settled } of pages) {
    units = addUnits(addUnits(units, settled.units), { read: answer.units });
    if (stopped) continue;
    stopped = isCut(settled);
    const passed = stopped ? settled.fates.indexOf('unsent') : settled.fates.length;
    counts = addCounts(counts, countsOf(settled, passed));
    const last = stopped ? answer.items[passed - 1] : answer.next;
    if (last !== undefined) cursor = toJsonItem(keyOf(step.table, last));
    done = !stopped && answer.next === undefined;
    if (done) cursor = undefined;
  }
  const { cursor: _, orphans: __, ...rest } = record;
  return {
    ...rest,
    ...(cursor === undefined ? {} : { cursor }),
    done,
    counts,
    units,
    chunks: parts,
    attempt: ledger.attempt,
    token: ledger.lease.token,
    ...(orphans === undefined ? {} : { orphans }),
  };
}

function countsOf({ fates, conflicts }: SettledPage, passed: number): Partial<Counts> {
  const counts: Record<string, number> = { scanned: passed, conflicts };
  for (const fate of fates.slice(0, passed)) counts[fate] = (counts[fate] ?? 0) + 1;
  return counts as Partial<Counts>;
}

/** The dead letters of pages, which go before the checkpoint. */
export function deadWrites(
  { environment, step, tableName }: PassContext,
  unit: SegmentUnit,
  dead: readonly DeadItem[],
): readonly LedgerWrite[] {
  const at = isoOfEpochMs(environment.nowMs());
  return dead.map(({ key, reason }) => {
    // Earlier versions named them by another digest. Whoever clears or retries them goes by the list, so those stay in reach.
    const named = { migration: unit.migration, step: unit.step, digest: environment.digest(keyIdentity(step.table.key, key)) };
    const shownKey = showKey(step.table, key);
    return put(deadLetterRecord, { ...named, key: toJsonItem(key), shownKey, table: tableName, reason, at });
  });
}
