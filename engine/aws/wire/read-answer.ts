import { isRecord } from '../../core/item/dynamo-json.ts';
import { adoptItem } from '../../core/transfer/adopt-item.ts';
import { missingMember } from '../expected-members.ts';
import type { WireOperation, WireOutput } from './wire.ts';

type Json = Record<string, unknown>;

/** Where the operations' answers have items, keys and values that may hold bytes; true when all of them are such. */
const readers: Readonly<Record<WireOperation, (answer: Json) => boolean>> = {
  BatchExecuteStatement: ({ Responses }) =>
    isList(
      Responses,
      (one) => isOptional(one.Item) && (one.Error === undefined || (isRecord(one.Error) && isOptional(one.Error.Item))),
    ),
  BatchGetItem: ({ Responses, UnprocessedKeys }) =>
    isMap(Responses, isItems) && isMap(UnprocessedKeys, (keys) => isRecord(keys) && isItems(keys.Keys)),
  BatchWriteItem: ({ UnprocessedItems, ItemCollectionMetrics }) =>
    isMap(UnprocessedItems, (left) => isList(left, isWrite)) && isMap(ItemCollectionMetrics, isMetrics),
  Query: isPage,
  Scan: isPage,
  TransactWriteItems: ({ ItemCollectionMetrics }) => isMap(ItemCollectionMetrics, isMetrics),
};

/**
 * The answer to an operation, with its attribute values as raw ones. Undefined when it is not the plain answer of a success:
 * then the SDK is to say what it is.
 */
export function readAnswer<O extends WireOperation>(operation: O, body: Buffer): WireOutput<O> | undefined {
  let json: unknown;
  try {
    json = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  const isWhole = isRecord(json) && missingMember(operation, json) === undefined && readers[operation](json);
  return isWhole ? (json as WireOutput<O>) : undefined;
}

function isPage({ Items, LastEvaluatedKey }: Json): boolean {
  return (Items === undefined || isItems(Items)) && isOptional(LastEvaluatedKey);
}

function isItems(list: unknown): boolean {
  return Array.isArray(list) && list.every((item) => adoptItem(item) !== undefined);
}

function isOptional(item: unknown): boolean {
  return item === undefined || adoptItem(item) !== undefined;
}

function isWrite({ PutRequest: put, DeleteRequest: removal }: Json): boolean {
  if (isRecord(put)) return adoptItem(put.Item) !== undefined;
  return isRecord(removal) && adoptItem(removal.Key) !== undefined;
}

function isMetrics(list: unknown): boolean {
  return isList(list, ({ ItemCollectionKey }) => isOptional(ItemCollectionKey));
}

function isList(list: unknown, test: (entry: Json) => boolean): boolean {
  return list === undefined || (Array.isArray(list) && list.every((entry) => isRecord(entry) && test(entry)));
}

function isMap(map: unknown, test: (entry: unknown) => boolean): boolean {
  return map === undefined || (isRecord(map) && Object.values(map).every(test));
}
