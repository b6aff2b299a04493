import type { Item } from '../../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../../tables/model/canonical.ts';
import { keyOf, showKey } from '../../../../tables/model/item.ts';
import type { SegmentRecord, SegmentUnit } from '../../../../tables/model/ledger/migration-records.ts';
import { fromJsonItem, toJsonItem } from '../../../core/item/dynamo-json.ts';
import { addCounts, addUnits, type Counts, noCounts, noUnits } from '../../../core/migrate/counts.ts';
import type { ItemDecision } from '../../../core/migrate/decide-item.ts';
import { decidePage } from '../../../core/migrate/decide-twice.ts';
import type { PageAnswer } from '../../../core/store/store.ts';
import { batchGetAll } from '../../store/read-keys.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import { readContextOf } from '../environment.ts';
import { decideOptions, type PassContext } from './pass-context.ts';
import { pageRequest, startReading } from './run-segment.ts';

/** Keys that are shown of what a verify pass finds left over. */
export const maxShownLeftovers = 10;

export type VerifyContext = Pick<
  PassContext,
  'environment' | 'step' | 'tableName' | 'unit' | 'stop' | 'meter' | 'lookup' | 'whilePaused'
>;

type Seen = Pick<SegmentRecord, 'cursor' | 'counts' | 'units' | 'leftovers' | 'token'>;
const nothingSeen: Seen = { counts: noCounts, units: noUnits, leftovers: [], token: 0 };

/**
 * Looks at every item of a segment and counts what the step would still change. There is no writer here; `seen` is what an earlier look came
 * to that was stopped.
 */
export async function verifySegment(context: VerifyContext, unit: SegmentUnit, seen: Seen = nothingSeen): Promise<SegmentRecord> {
  const { environment, meter, stop } = context;
  const request = pageRequest(context, unit);
  const { pageItems } = environment.tuning;
  const leftovers: string[] = [...seen.leftovers];
  let { counts, units, cursor } = seen;
  let ahead = startReading(context, request, pageItems, cursor === undefined ? undefined : fromJsonItem(cursor));
  // Only when its last page was looked at: one that was read, and left because the run was stopped, proves nothing.
  let done = false;
  while (!done) {
    await context.whilePaused();
    const page: PageAnswer | undefined = await ahead;
    if (page === undefined || stop.aborted) break;
    // The next page is read while this one is looked at.
    if (page.next !== undefined) ahead = startReading(context, request, pageItems, page.next);
    const looked = await untilStopped(lookAt(context, page.items), stop);
    if (looked === undefined) break;
    const found = { ...looked.counts, scanned: page.items.length };
    counts = addCounts(counts, found);
    units = addUnits(units, { read: page.units + looked.units });
    leftovers.push(...looked.leftovers.slice(0, maxShownLeftovers - leftovers.length));
    meter.addPage(found, { read: page.units + looked.units });
    cursor = page.next === undefined ? undefined : toJsonItem(page.next);
    done = page.next === undefined;
  }
  if (done) meter.segmentsDone += 1;
  const { token } = seen;
  return { ...unit, ...(cursor === undefined ? {} : { cursor }), done, counts, units, chunks: 0, leftovers, token };
}

async function lookAt(context: VerifyContext, items: readonly Item[]) {
  const { environment, step, tableName, stop } = context;
  const decided = decidePage(step, items, decideOptions(context));
  const decisions = items.map((item, at) => ({ item, decision: decided[at] ?? { kind: 'right' as const } }));
  const wanted = step.kind === 'insert' ? decisions.flatMap(({ decision }) => keysOf(decision)) : [];
  const keys = { table: { name: tableName, key: step.table.key }, keys: wanted, consistent: true };
  const present = await batchGetAll(readContextOf(environment), keys, stop);
  const counts: Record<string, number> = {};
  const leftovers: string[] = [];
  for (const { item, decision } of decisions) {
    const kind =
      step.kind === 'insert'
        ? kindOfInsert(decision, (key) => present.items.get(keyIdentity(step.table.key, key)))
        : decision.kind;
    const name = kind === 'change' ? 'changed' : kind === 'poison' ? 'dead' : kind;
    counts[name] = (counts[name] ?? 0) + 1;
    if (name === 'changed' || name === 'dead') leftovers.push(showKey(step.table, keyOf(step.table, item)));
  }
  return { counts: counts as Partial<Counts>, leftovers, units: present.units };
}

/** New items that are there are right, unless something else is in their place. */
function kindOfInsert(decision: ItemDecision, find: (key: Item) => Item | undefined): ItemDecision['kind'] {
  if (decision.kind !== 'change') return decision.kind;
  const there = decision.changes.map((change) => ({ change, item: find(change.key) }));
  const isWrong = there.some(
    ({ change, item }) => item !== undefined && change.kind === 'insert' && change.taken?.(item) !== undefined,
  );
  if (isWrong) return 'poison';
  return there.every(({ item }) => item !== undefined) ? 'right' : 'change';
}

function keysOf(decision: ItemDecision): readonly Item[] {
  return decision.kind === 'change' ? decision.changes.map(({ key }) => key) : [];
}
