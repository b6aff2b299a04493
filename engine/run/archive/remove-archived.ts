import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { keyOf } from '../../../tables/model/item.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import type { BatchStore } from '../../core/write/batch-outcome.ts';
import type { WriteRequest, WriteTable } from '../../core/write/write-request.ts';
import { bodyOf } from '../../core/write/write-request.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import type { Clock } from '../capacity/clock.ts';
import type { GetContext } from '../store/read-keys.ts';
import type { ExportFile } from '../transfer/open-export.ts';
import { readLines } from '../transfer/read-lines.ts';
import { writeAll } from '../write/write-all.ts';
import type { ItemRemoval, RemovedItems } from './archive-items.ts';
import { type ArchivedDelete, deleteUnchanged } from './delete-unchanged.ts';
import { LateImages } from './late-images.ts';

/**
 * A condition compares every attribute, and DynamoDB takes at most 300 operators in 4 KB (Developer Guide, "Expression
 * parameters"). An item of more attributes than this stays.
 */
const maxComparedAttributes = 150;

export interface DeleteHooks {
  /** The condition did not hold. */
  readonly onStopped: (request: WriteRequest) => void;
  /** Awaited before the delete counts as answered. */
  readonly onDeleted: (archived: Item, deleted: Item) => Promise<void>;
}

export interface RemoveEnvironment {
  /** Deletes only what has every attribute as it was archived, and tells what it deleted. */
  readonly deletes: (hooks: DeleteHooks) => BatchStore;
  /** Puts items only where there is none. */
  readonly puts: (onTaken: () => void) => BatchStore;
  /** Looks at single items within the read budget. */
  readonly read: GetContext;
  readonly table: WriteTable;
  readonly codec: FileCodec;
  readonly gates: CapacityGates;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** Deletes the items of an archive file by file. Repeated, it finds what it deleted gone and does nothing to it. */
export function itemRemoval(environment: RemoveEnvironment, folder: BlobStore): ItemRemoval {
  const { table, codec, signal } = environment;
  const late = new LateImages({ folder, codec, tableName: table.name, putBack: (item) => putBack(environment, item) });
  return {
    begin: () => late.settle(signal),
    remove: (file) => removeFile(environment, late, file),
  };
}

async function removeFile(environment: RemoveEnvironment, late: LateImages, file: ExportFile): Promise<RemovedItems | undefined> {
  const { table, codec, read, signal } = environment;
  const before = { ...late.counts };
  const kept = new Set<string>();
  const keep = (request: WriteRequest): void => void kept.add(keyIdentity(table.key, bodyOf(request)));
  let large = 0;
  let sent = 0;
  async function* requests(): AsyncGenerator<ArchivedDelete> {
    for await (const lines of readLines(file, codec, 0)) {
      for (const { content } of lines) {
        if (content?.kind !== 'item') continue;
        const { item: archived } = content;
        if (Object.keys(archived).length > maxComparedAttributes) large += 1;
        else {
          sent += 1;
          yield { table: table.name, delete: keyOf(table, archived), archived };
        }
      }
    }
  }
  const deletes = environment.deletes({
    onStopped: keep,
    onDeleted: (archived, deleted) => late.compare(archived, deleted),
  });
  const isDone = await send(environment, deleteUnchanged(deletes, read, keep, signal), requests(), 'deleted');
  if (!isDone) return undefined;
  const back = late.counts.back - before.back;
  return { removed: sent - kept.size - back, kept: kept.size + back + large, late: late.counts.late - before.late };
}

async function putBack(environment: RemoveEnvironment, item: Item): Promise<'back' | 'taken'> {
  const { table } = environment;
  let isTaken = false;
  const puts = environment.puts(() => {
    isTaken = true;
  });
  // Not to be stopped: it is out of its table.
  await send({ ...environment, signal: undefined }, puts, [{ table: table.name, put: item }], 'put back');
  return isTaken ? 'taken' : 'back';
}

/** False when it was stopped. */
async function send<R extends WriteRequest>(
  { table, gates, clock, random, signal }: RemoveEnvironment,
  store: BatchStore,
  requests: AsyncIterable<R> | Iterable<R>,
  done: string,
): Promise<boolean> {
  const { outcome } = await writeAll<R>(requests, {
    store,
    tables: [table],
    gates,
    clock,
    random,
    signal,
    deadLetters: {
      write: async ({ reason }) => {
        throw new TablewrightError('STORE_FAILED', `${table.name}: an archived item could not be ${done}: ${reason.message}`, {
          next: 'What was archived stays; run the same command again to go on.',
        });
      },
    },
  });
  return outcome === 'complete';
}
