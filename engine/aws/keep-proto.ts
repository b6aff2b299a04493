import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { attributeOf, setAttribute } from '../../tables/model/attribute-value.ts';
import { fromJsonValue, isRecord } from '../core/item/dynamo-json.ts';

/** Answers that speak of `__proto__`, as parsed JSON, by the responses that the SDK reads them from. */
type Spoken = WeakMap<object, unknown>;

/** An attribute of this name stands in an answer as this text; so may a value, which does no harm. */
const spelt = '"__proto__"';

/**
 * The SDK (3.1162) reads an attribute that is called `__proto__` as undefined: it clears the name before it reads the value.
 * What it lost is given back from the answer's own text. Answers without the name are only searched for it.
 */
export function keepProto(client: DynamoDBClient): void {
  const spoken: Spoken = new WeakMap();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      await listen(spoken, result.response);
      return result;
    },
    // Within the SDK's reading.
    { name: 'listenForProto', step: 'deserialize', priority: 'low' },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        const result = await next(args);
        restore(spokenIn(spoken, result.response), result.output);
        return result;
      } catch (error) {
        // A refused write may bring the item as it is now.
        if (isRecord(error)) restore(spokenIn(spoken, error.$response), error);
        throw error;
      }
    },
    // Around it.
    { name: 'restoreProto', step: 'deserialize', priority: 'high' },
  );
}

async function listen(spoken: Spoken, response: unknown): Promise<void> {
  if (!isRecord(response) || !isChunked(response.body)) return;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  response.body = body;
  if (body.includes(spelt)) spoken.set(response, JSON.parse(body.toString()));
}

function isChunked(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function spokenIn(spoken: Spoken, response: unknown): unknown {
  return isRecord(response) ? spoken.get(response) : undefined;
}

/** Goes through the answer and what was read of it side by side. */
function restore(json: unknown, read: unknown): void {
  if (Array.isArray(json) && Array.isArray(read)) {
    for (const [at, entry] of json.entries()) restore(entry, read[at]);
    return;
  }
  if (!isRecord(json) || !isRecord(read)) return;
  for (const [name, entry] of Object.entries(json)) {
    if (name === '__proto__') setAttribute(read, name, fromJsonValue(entry));
    else restore(entry, attributeOf(read, name));
  }
}
