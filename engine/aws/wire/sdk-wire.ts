import { Readable } from 'node:stream';
import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { WrittenItem } from './request-bytes.ts';
import type { Wire, WireInput, WireOperation, WireOutput } from './wire.ts';

const commands: { readonly [O in WireOperation]: new (input: never) => object } = {
  BatchExecuteStatement: BatchExecuteStatementCommand,
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  TransactWriteItems: TransactWriteItemsCommand,
};

/** One type for all of them: what is done with commands here is the same for each. */
export function commandOf(operation: WireOperation, input: object): ScanCommand {
  // tablewright-allow-scan: a type, whatever the operation
  return new commands[operation](input as never) as ScanCommand;
}

/** Every call through the SDK's own client. */
export function sdkWire(client: DynamoDBClient): Wire {
  return {
    call: async <O extends WireOperation>(operation: O, input: WireInput<O>, signal?: AbortSignal) => {
      const command = commandOf(operation, operation === 'BatchWriteItem' ? made(input as WireInput<'BatchWriteItem'>) : input);
      // Given options, also empty ones, keep the client from using the resolved middleware of an earlier command.
      return (await (signal === undefined
        ? client.send(command)
        : client.send(command, { abortSignal: signal }))) as WireOutput<O>;
    },
    text: (operation, input, signal) => text(client, commandOf(operation, input), signal),
  };
}

/** The SDK writes items by itself: those that are text are made for it. */
function made({ RequestItems = {}, ...rest }: WireInput<'BatchWriteItem'>): WireInput<'BatchWriteItem'> {
  const requests = Object.entries(RequestItems).map(([table, writes]) => [
    table,
    writes.map((write) => {
      const item: unknown = write.PutRequest?.Item;
      return item instanceof WrittenItem ? { PutRequest: { Item: item.make() } } : write;
    }),
  ]);
  return { ...rest, RequestItems: Object.fromEntries(requests) as typeof RequestItems };
}

interface Answered {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  body: AsyncIterable<Uint8Array>;
}

async function text(client: DynamoDBClient, command: ScanCommand, signal: AbortSignal | undefined): Promise<Uint8Array> {
  let answer: Uint8Array | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as Answered;
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
  await client.send(command, signal === undefined ? {} : { abortSignal: signal });
  // An empty page here would be items lost without a word.
  if (answer === undefined) throw new TypeError('the answer was not seen by its own middleware');
  return answer;
}
