import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { BatchOutcome, BatchStore } from '../../core/write/batch-outcome.ts';
import type { DeleteRequest, WriteRequest, WriteTable } from '../../core/write/write-request.ts';
import { type GetContext, getOne } from '../store/read-keys.ts';

/** A delete that knows what it may delete. */
export interface ArchivedDelete extends DeleteRequest {
  readonly archived: Item;
}

/**
 * Looks at every item before its delete goes out: one that is not, as a whole, what was archived stays. A condition can name
 * the attributes that were there; it cannot say that there are no others.
 */
export function deleteUnchanged(
  deletes: BatchStore,
  read: GetContext,
  onKept: (request: WriteRequest) => void,
  signal?: AbortSignal,
): BatchStore {
  return {
    send: async (table, requests) => {
      const looks = await lookAt(table, requests, read, signal);
      if (!Array.isArray(looks)) return looks;
      const places = requests.flatMap((_, at) => (looks[at] ? [at] : []));
      for (const [at, request] of requests.entries()) if (!looks[at]) onKept(request);
      if (places.length === 0) return { kind: 'answered', unprocessed: [], consumed: 0 };
      const outcome = await deletes.send(
        table,
        places.flatMap((at) => requests[at] ?? []),
      );
      if (outcome.kind !== 'answered') return outcome;
      return { ...outcome, unprocessed: outcome.unprocessed.flatMap((at) => places[at] ?? []) };
    },
  };
}

/** Of each: is it still the same? */
async function lookAt(
  table: WriteTable,
  requests: readonly WriteRequest[],
  read: GetContext,
  signal: AbortSignal | undefined,
): Promise<boolean[] | BatchOutcome> {
  try {
    return await Promise.all(
      (requests as readonly ArchivedDelete[]).map(async ({ delete: key, archived }) => {
        const { item } = await getOne(read, { TableName: table.name, Key: key, ConsistentRead: true }, signal);
        return item !== undefined && canonicalItem(item) === canonicalItem(archived);
      }),
    );
  } catch (error) {
    if (error instanceof TablewrightError) return { kind: 'fatal', error };
    if (!signal?.aborted) throw error;
    return { kind: 'failed', cause: 'connection', message: 'stopped before the answer came' };
  }
}
