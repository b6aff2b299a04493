import { createRequire } from 'node:module';
import { inParallel } from '../load/contender.ts';
import { plainOrder } from '../load/items.ts';
import { peerClient } from '../load/peer-client.ts';
import { type BackfillContender, updatesInFlight } from './job.ts';

type Order = Record<string, string> & { readonly PK: string };
interface Db {
  scan(model: string, properties: object, params: object): Promise<Order[] & { readonly next?: object }>;
  update(model: string, properties: object, params: object): Promise<unknown>;
}
type MigrateModule = {
  Migrate: new (
    table: object,
    params: object,
  ) => { init(): Promise<void>; apply(how: string, version: string): Promise<unknown> };
};
type OneTableModule = { Table: new (options: object) => object };

const fields = [...Object.keys(plainOrder(0)).filter((name) => name !== 'ttl'), 'GSI1_PK', 'GSI1_SK'];
const schema = {
  format: 'onetable:1.1.0',
  version: '0.0.1',
  indexes: { primary: { hash: 'PK', sort: 'SK' } },
  models: {
    Order: Object.fromEntries(fields.map((name) => [name, { type: name === 'quantity' || name === 'price' ? Number : String }])),
  },
  params: { typeField: '_type' },
};

/** Its own migration, scanning page by page and updating through the model on condition that the order is unchanged. */
export const contender: BackfillContender = {
  async prepare({ endpoint, table, connections = updatesInFlight }) {
    const require = createRequire(import.meta.url);
    const { Migrate } = require('onetable-migrate') as MigrateModule;
    const { Table } = require('dynamodb-onetable') as OneTableModule;
    const up = async (db: Db): Promise<void> => {
      let next: object | undefined;
      do {
        const page = await db.scan('Order', {}, { limit: 1_000, next, hidden: true, parse: true });
        await inParallel(page.length, connections, async (n) => {
          const { PK, SK, product_id, created_at } = page[n] as Order;
          const keys = { GSI1_PK: `PRODUCT#${product_id}`, GSI1_SK: created_at };
          await db.update(
            'Order',
            { PK, SK, ...keys },
            { exists: true, return: 'none', where: `\${product_id} = {${product_id}}` },
          );
        });
        next = page.next;
      } while (next !== undefined);
    };
    const down = async (): Promise<void> => undefined;
    const one = new Table({ client: peerClient(endpoint, connections), name: table, partial: false, schema, logger: false });
    const migrate = new Migrate(one, { migrations: [{ version: '0.0.1', description: 'index', schema, up, down }] });
    await migrate.init();
    return async () => {
      await migrate.apply('up', '0.0.1');
    };
  },
};
