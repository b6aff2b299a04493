import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { PageStore } from '../../core/store/store.ts';
import { adoptItem } from '../../core/transfer/adopt-item.ts';
import { notDynamo } from '../../core/transfer/export-line.ts';
import { type RawItem, splitAnswer } from '../../core/transfer/split-answer.ts';
import { storeError } from '../store/store-error.ts';
import { wireOf } from '../wire/wire.ts';

/**
 * Scans for exports. An answer's items are DynamoDB JSON already and are to become DynamoDB JSON again, so they are cut out of
 * the answer's text: the SDK's own deserialiser would cost more than all the rest of an export. The client has to be
 * made with `maxAttempts: 1`; the reader repeats by its own budget.
 */
export function pageStore(client: DynamoDBClient): PageStore<RawItem> {
  const wire = wireOf(client);
  return {
    scan: async (request, signal) => {
      try {
        // tablewright-allow-scan: an export reads a table whole
        const text = await wire.text('Scan', { ...request, ReturnConsumedCapacity: 'TOTAL' }, signal);
        const answer = splitAnswer(text);
        if (answer === undefined) throw notDynamo(request.TableName, 'no list of items, or not as many as it says');
        const { LastEvaluatedKey: next, ConsumedCapacity: consumed, ScannedCount: scanned } = answer.rest;
        return {
          items: answer.items,
          scanned: Number(scanned ?? answer.items.length),
          next: next === undefined ? undefined : keyOf(request.TableName, next),
          units: (consumed as { readonly CapacityUnits?: number } | undefined)?.CapacityUnits ?? 0,
        };
      } catch (error) {
        throw error instanceof TypeError ? error : storeError(request.TableName, error);
      }
    },
  };
}

function keyOf(table: string, json: unknown): Item {
  const key = adoptItem(json);
  if (key === undefined) throw notDynamo(table, 'a LastEvaluatedKey that is no key');
  return key;
}
