import { sdkWire } from '../../engine/aws/wire/sdk-wire.ts';
import { batchWriteStore } from '../../engine/aws/write/batch-write-store.ts';
import type { Contender } from './contender.ts';
import { writerOver } from './writer.ts';

/** The same writer with every request through the SDK, as it was before it had a wire of its own. */
export const contender: Contender = writerOver((client) => batchWriteStore(client, sdkWire(client)));
