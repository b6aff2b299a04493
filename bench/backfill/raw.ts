import { dynamoClient } from '../../engine/aws/clients.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { requestBytes } from '../../engine/aws/wire/request-bytes.ts';
import { decideItem } from '../../engine/core/migrate/decide-item.ts';
import { updateStatement } from '../../engine/core/migrate/statement.ts';
import { dynoxideStatement } from '../../engine/local/dynoxide-dialect.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { barePost } from '../load/bare-post.ts';
import { chunks, inParallel, region } from '../load/contender.ts';
import type { BackfillContender } from './job.ts';
import { ordersStep } from './orders-step.ts';

/**
 * The limit: the very statements of our backfill, 25 a batch, made beforehand and sent over connections kept open. Nothing is read,
 * journalled or verified while the clock runs, and answers are not looked at.
 */
export const contender: BackfillContender = {
  async prepare({ endpoint, table, connections = 1 }) {
    const items = await allItems(endpoint, table);
    const { step } = ordersStep(table);
    const options = { nowSeconds: 0 };
    const statements = items.flatMap((item) => {
      const decision = decideItem(step, item, options);
      const changes = decision.kind === 'change' ? decision.changes : [];
      return changes.flatMap((change) => (change.kind === 'update' ? [updateStatement(table, change)] : []));
    });
    const bodies = chunks(statements).map((batch) => {
      const Statements = batch.map((statement) => ({
        ...statement,
        Statement: dynoxideStatement(statement?.Statement ?? ''),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }));
      return requestBytes({ Statements, ReturnConsumedCapacity: 'TOTAL' });
    });
    const post = barePost(endpoint, 'BatchExecuteStatement', connections);
    return () => inParallel(bodies.length, connections, (n) => post(bodies[n] as Buffer));
  },
};

async function allItems(endpoint: string, table: string): Promise<readonly Item[]> {
  const client = dynamoClient({ region, endpoint });
  const store = dynamoStore(client);
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await store.scan({ TableName: table, ...(from === undefined ? {} : { ExclusiveStartKey: from }) });
    for (const item of page.items) items.push(item);
    from = page.next;
  } while (from !== undefined);
  client.destroy();
  return items;
}
