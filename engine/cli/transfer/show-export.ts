import type { ExportProgress } from '../../core/transfer/transfer-event.ts';
import type { OpenStack } from '../open-stack.ts';
import type { ProgressState } from '../show/progress-text.ts';

/** Items that DynamoDB last counted in a table, some hours ago; undefined where it does not know. */
export async function itemsOnce(stack: OpenStack, tableName: string, signal: AbortSignal): Promise<number | undefined> {
  const found = await stack.store.describeTable(tableName, signal);
  return found === undefined || found.itemCount === 0 ? undefined : found.itemCount;
}

/** How far reading a whole table has got. The total grows with what was read: the count is old. */
export function readingState(
  label: string,
  { read, earlier, units, elapsedMs, segmentsDone, segments }: ExportProgress,
  { items, budget }: { readonly items: number | undefined; readonly budget: number },
): ProgressState {
  return {
    label,
    done: read,
    before: earlier,
    // Once all is read, that is the whole.
    ...(segmentsDone === segments ? { total: read } : tableTotal(read, items)),
    units: { kind: 'RCU', perSecond: units / Math.max(0.001, elapsedMs / 1_000), budget },
    remarks: [`${segmentsDone} of ${segments} segments`],
  };
}

/** The total by an old count; none once more was read than that. */
export function tableTotal(read: number, items: number | undefined): Pick<ProgressState, 'total' | 'roughly'> {
  return items === undefined || items < read ? {} : { total: items, roughly: true };
}
