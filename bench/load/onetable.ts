import { type Contender, chunks, inParallel, numbers } from './contender.ts';
import { plainOrder } from './items.ts';
import { peerClient } from './peer-client.ts';

interface OneTable {
  getModel(name: string): { create(item: object, options: { batch: object; exists: null }): Promise<unknown> };
  batchWrite(batch: object): Promise<unknown>;
}
type OneTableModule = { Table: new (options: object) => OneTable; Dynamo: new (options: object) => object };

function schemaOf(sample: Record<string, unknown>): object {
  const fields = Object.entries(sample).map(([name, value]) => [name, { type: typeof value === 'number' ? Number : String }]);
  return {
    format: 'onetable:1.1.0',
    version: '0.0.1',
    indexes: { primary: { hash: 'PK', sort: 'SK' } },
    models: { Order: Object.fromEntries(fields) },
    params: { typeField: '_type' },
  };
}

/** Batches of 25 through its model; it sends what comes back as unprocessed again. */
export const contender: Contender = {
  async prepare({ endpoint, table, from, count, concurrency }) {
    const peer = 'dynamodb-onetable';
    const dynamo = 'dynamodb-onetable/Dynamo';
    const { Table } = (await import(peer)) as OneTableModule;
    const { Dynamo } = (await import(dynamo)) as OneTableModule;
    const client = new Dynamo({ client: peerClient(endpoint) });
    const items = chunks(numbers(from, count).map(plainOrder));
    const one = new Table({ client, name: table, partial: false, schema: schemaOf(plainOrder(0)), logger: false });
    const model = one.getModel('Order');
    return () =>
      inParallel(items.length, concurrency, async (n) => {
        const batch = {};
        for (const item of items[n] ?? []) await model.create(item, { batch, exists: null });
        await one.batchWrite(batch);
      });
  },
};
