import { Readable } from 'node:stream';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { PageStore } from '../../core/store/store.ts';
import { adoptItem } from '../../core/transfer/adopt-item.ts';
import { notDynamo } from '../../core/transfer/export-line.ts';
import { type RawItem, splitAnswer } from '../../core/transfer/split-answer.ts';
import { storeError } from '../store/store-error.ts';

/**
 * Scans for exports. An answer's items are DynamoDB JSON already and are to become DynamoDB JSON again, so they are cut out of
 * the answer's text: the SDK's own deserialiser would cost more than all the rest of an export. The client has to be
 * made with `maxAttempts: 1`; the reader repeats by its own budget.
 */
export function pageStore(client: DynamoDBClient): PageStore<RawItem> {
  return {
    scan: async (request, signal) => {
      try {
        const answer = splitAnswer(await send(client, { ...request, ReturnConsumedCapacity: 'TOTAL' }, signal));
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

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  body: AsyncIterable<Uint8Array>;
}

async function send(
  client: DynamoDBClient,
  input: ConstructorParameters<typeof ScanCommand>[0],
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const command = new ScanCommand(input);
  let answer: Uint8Array | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as Answer;
      // A page of something else is left to the client, which says what it was.
      if (response.statusCode !== 200 || !/json/i.test(response.headers['content-type'] ?? 'json')) return result;
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      answer = Buffer.concat(chunks);
      // What is left for the SDK to take apart.
      response.body = Readable.from([Buffer.from('{"Count":0}')]);
      return result;
    },
    // The innermost of its step: it sees the answer before the SDK's deserialiser.
    { step: 'deserialize', priority: 'low', name: 'takeAnswerText' },
  );
  // Given options, also empty ones, keep the client from using the resolved middleware of an earlier command.
  await client.send(command, signal === undefined ? {} : { abortSignal: signal });
  // An empty page here would be items lost without a word.
  if (answer === undefined) throw new TypeError('the answer to a Scan was not seen by its own middleware');
  return answer;
}

function keyOf(table: string, json: unknown): Item {
  const key = adoptItem(json);
  if (key === undefined) throw notDynamo(table, 'a LastEvaluatedKey that is no key');
  return key;
}
