import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { keyOf } from '../../../tables/model/item.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import type { BatchStore } from '../../core/write/batch-outcome.ts';
import type { DeleteRequest, WriteTable } from '../../core/write/write-request.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import type { Clock } from '../capacity/clock.ts';
import type { ExportFile } from '../transfer/open-export.ts';
import { readLines } from '../transfer/read-lines.ts';
import { writeAll } from '../write/write-all.ts';
import type { RemovedItems } from './archive-items.ts';

/** A delete that knows what it may delete. */
export interface ArchivedDelete extends DeleteRequest {
  readonly archived: Item;
}

/**
 * A condition compares every attribute, and DynamoDB takes at most 300 operators in 4 KB (Developer Guide, "Expression
 * parameters"). An item of more attributes than this stays.
 */
const maxComparedAttributes = 150;

export interface RemoveEnvironment {
  /** Deletes only what is as it was archived. */
  readonly deletes: BatchStore;
  /** Deletes so far that their condition stopped. */
  readonly stopped: () => number;
  readonly table: WriteTable;
  readonly codec: FileCodec;
  readonly gates: CapacityGates;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** Deletes the items of an archived file. Repeated, it finds what it deleted gone and does nothing to it. */
export async function removeArchived(environment: RemoveEnvironment, file: ExportFile): Promise<RemovedItems | undefined> {
  const { deletes, stopped, table, gates, clock, random, signal } = environment;
  const before = stopped();
  let left = 0;
  let sent = 0;
  async function* requests(): AsyncGenerator<ArchivedDelete> {
    for await (const lines of readLines(file, environment.codec, 0)) {
      for (const { content } of lines) {
        if (content?.kind !== 'item') continue;
        const { item } = content;
        if (Object.keys(item).length > maxComparedAttributes) {
          left += 1;
          continue;
        }
        sent += 1;
        yield { table: table.name, delete: keyOf(table, item), archived: item };
      }
    }
  }
  const result = await writeAll<ArchivedDelete>(requests(), {
    store: deletes,
    tables: [table],
    gates,
    clock,
    random,
    signal,
    deadLetters: {
      write: async ({ reason }) => {
        throw new TablewrightError('STORE_FAILED', `${table.name}: an archived item could not be deleted: ${reason.message}`, {
          next: 'What was archived stays; run the same command again to go on.',
        });
      },
    },
  });
  if (result.outcome !== 'complete') return undefined;
  const kept = stopped() - before;
  return { removed: sent - kept, kept: kept + left };
}
