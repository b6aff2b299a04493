import { toJsonItem } from '../../engine/core/item/dynamo-json.ts';
import { barePost } from './bare-post.ts';
import { type Contender, chunks, inParallel, numbers } from './contender.ts';
import { orderItem } from './items.ts';

/** The limit: bodies made beforehand, sent over connections kept open; answers are read and not looked at. */
export const contender: Contender = {
  async prepare({ endpoint, table, from, count, concurrency, connections = concurrency }) {
    const bodies = chunks(numbers(from, count)).map((batch) => {
      const writes = batch.map((n) => ({ PutRequest: { Item: toJsonItem(orderItem(n)) } }));
      return Buffer.from(JSON.stringify({ RequestItems: { [table]: writes } }));
    });
    const post = barePost(endpoint, 'BatchWriteItem', connections);
    return () => inParallel(bodies.length, concurrency, (n) => post(bodies[n] as Buffer));
  },
};
