import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  BatchWriteItemCommandInput,
  BatchWriteItemCommandOutput,
  DynamoDBClient,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { NotingHandler } from '../noting-handler.ts';
import { DirectWire } from './direct-wire.ts';
import { sdkWire } from './sdk-wire.ts';

/** The operations that bulk work consists of, with what goes and what comes back. */
export interface WireOperations {
  readonly BatchExecuteStatement: readonly [BatchExecuteStatementCommandInput, BatchExecuteStatementCommandOutput];
  readonly BatchGetItem: readonly [BatchGetItemCommandInput, BatchGetItemCommandOutput];
  readonly BatchWriteItem: readonly [BatchWriteItemCommandInput, BatchWriteItemCommandOutput];
  readonly Query: readonly [QueryCommandInput, QueryCommandOutput];
  readonly Scan: readonly [ScanCommandInput, ScanCommandOutput];
  readonly TransactWriteItems: readonly [TransactWriteItemsCommandInput, TransactWriteItemsCommandOutput];
}

export type WireOperation = keyof WireOperations;
export type WireInput<O extends WireOperation> = WireOperations[O][0];
/** As the SDK gives it, but for what it says of itself. */
export type WireOutput<O extends WireOperation> = Omit<WireOperations[O][1], '$metadata'>;

/**
 * The way to DynamoDB for bulk work. It fails as the SDK's own call fails, with the very same errors, and repeats nothing:
 * see docs/design/wire.md.
 */
export interface Wire {
  call<O extends WireOperation>(operation: O, input: WireInput<O>, signal?: AbortSignal): Promise<WireOutput<O>>;
  /** The answer's text, for those who cut out of it what they need. */
  text<O extends WireOperation>(operation: O, input: WireInput<O>, signal?: AbortSignal): Promise<Uint8Array>;
}

const wires = new WeakMap<DynamoDBClient, Wire>();

/** The client's wire: the direct one where nothing is lost by it, else the SDK itself. */
export function wireOf(client: DynamoDBClient): Wire {
  const known = wires.get(client);
  if (known !== undefined) return known;
  const { requestHandler } = client.config;
  const wire = requestHandler instanceof NotingHandler ? new DirectWire(client, requestHandler) : sdkWire(client);
  wires.set(client, wire);
  return wire;
}
