import { batchWriteStore } from '../../engine/aws/write/batch-write-store.ts';
import type { Contender } from './contender.ts';
import { writerOver } from './writer.ts';

/** The writer whose client signs and sends in threads of its own, as with `--threads N` of the commands. */
export const contender: Contender = writerOver((client) => batchWriteStore(client), true);
