import type { DynamoDBClient, WriteRequest as SdkWriteRequest } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import type { BatchOutcome, BatchStore } from '../../core/write/batch-outcome.ts';
import { bodyOf, type WriteRequest, type WriteTable } from '../../core/write/write-request.ts';
import { classifyError } from '../store/store-error.ts';
import { WrittenItem } from '../wire/request-bytes.ts';
import { type Wire, type WireOutput, wireOf } from '../wire/wire.ts';

/** BatchWriteItem as the writer's store. The client has to be made with `maxAttempts: 1`; the writer retries. */
export function batchWriteStore(client: DynamoDBClient, wire: Wire = wireOf(client)): BatchStore {
  return {
    async send(table, requests) {
      try {
        const output = await wire.call('BatchWriteItem', {
          RequestItems: { [table.name]: requests.map(toSdk) },
          ReturnConsumedCapacity: 'INDEXES',
        });
        return answered(table, requests, output);
      } catch (error) {
        return classifyError(error, table.name);
      }
    },
  };
}

function toSdk(request: WriteRequest): SdkWriteRequest {
  if (!('put' in request)) return { DeleteRequest: { Key: request.delete } };
  const { asText } = request;
  // The wire knows written items; to the type of the SDK they are items like any other.
  const item: unknown = asText === undefined ? request.put : new WrittenItem(asText.text, () => request.put);
  return { PutRequest: { Item: item as Item } };
}

function answered(table: WriteTable, requests: readonly WriteRequest[], output: WireOutput<'BatchWriteItem'>): BatchOutcome {
  // The units of the table and of all its indexes; their split is in the same entry and not needed here.
  const consumed = output.ConsumedCapacity?.reduce((units, entry) => units + (entry.CapacityUnits ?? 0), 0);
  const left = output.UnprocessedItems?.[table.name] ?? [];
  return { kind: 'answered', unprocessed: placesOf(table, requests, left), consumed };
}

/** Where in the batch the unprocessed requests stand. One that is not found there makes the whole batch go again. */
function placesOf(table: WriteTable, requests: readonly WriteRequest[], left: readonly SdkWriteRequest[]): readonly number[] {
  if (left.length === 0) return [];
  const places = new Map(requests.map((request, at) => [keyIdentity(table.key, bodyOf(request)), at]));
  const found = left.map(({ PutRequest, DeleteRequest }) => {
    const body = (PutRequest?.Item ?? DeleteRequest?.Key) as Item | undefined;
    return body === undefined ? undefined : places.get(keyIdentity(table.key, body));
  });
  return found.some((place) => place === undefined) ? requests.map((_, at) => at) : (found as number[]);
}
