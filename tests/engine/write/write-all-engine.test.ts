import { BatchExecuteStatementCommand, CreateTableCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import fc from 'fast-check';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { batchWriteStore } from '../../../engine/aws/write/batch-write-store.ts';
import type { DeadLetter } from '../../../engine/core/write/dead-letter.ts';
import type { WriteRequest, WriteTable } from '../../../engine/core/write/write-request.ts';
import { CapacityGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { writeAll } from '../../../engine/run/write/write-all.ts';
import type { WriteOptions } from '../../../engine/run/write/write-options.ts';
import { control, marketOrders, omsTradingData } from '../../../tables/catalogue.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { anyItem } from '../../support/any-item.ts';
import { type FaultProxy, type Faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { provisionedCapacity } from '../../support/provisioned-capacity.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';

const writeTable = ({ key, indexes, ...table }: Table): WriteTable => ({ name: physicalName(table, testConfig), key, indexes });
const trading = writeTable(omsTradingData);
const orders = writeTable(marketOrders);
const rows = writeTable(control);

function order(n: number, run = 'a'): Item {
  const time = `2025-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`;
  return {
    PK: { S: `CLIENT#${n % 37}` },
    SK: { S: `ORDER#${time}#${run}${n}` },
    GSI1_PK: { S: `PRODUCT#${n % 5}` },
    GSI1_SK: { S: time },
    GSI3_PK: { S: `ORDER#${n}` },
    GSI3_SK: { S: time },
    quantity: { N: `0.${String(n).padStart(30, '0')}1` },
  };
}

describe('writeAll on the engine', () => {
  const engine = useEngine([omsTradingData, marketOrders, control]);
  let proxy: FaultProxy;
  let client: DynamoDBClient;
  const letters: DeadLetter[] = [];

  before(async () => {
    proxy = await openFaultProxy(engine().endpoint);
    client = dynamoClient({ region: testConfig.region, endpoint: proxy.endpoint, maxAttempts: 1 });
  });

  after(async () => {
    client.destroy();
    await proxy.close();
  });

  beforeEach(() => {
    proxy.set({});
    letters.length = 0;
  });

  function write(requests: Iterable<WriteRequest>, options: Partial<WriteOptions<WriteRequest>> = {}) {
    return writeAll(requests, {
      store: batchWriteStore(client),
      tables: [trading, orders, rows],
      gates: new CapacityGates({ unlimited: true }),
      deadLetters: { write: async (letter) => void letters.push(letter) },
      retry: { baseDelayMs: 2, maxDelayMs: 50, maxAttempts: 30 },
      ...options,
    });
  }

  /** Everything in a table, by its key. */
  async function contents(table: WriteTable): Promise<Map<string, Item>> {
    const found = new Map<string, Item>();
    for await (const page of paginateScan({ client: engine().client }, { TableName: table.name, ConsistentRead: true })) {
      for (const item of (page.Items ?? []) as Item[]) {
        const key = JSON.stringify([item[table.key.hash.name], item[table.key.range?.name ?? '']]);
        expect(found.has(key), `${key} is there twice`).to.equal(false);
        found.set(key, item);
      }
    }
    return found;
  }

  // Faults that do not lessen with the rate keep lowering it, so there are not many items.
  const count = 600;
  const faults: readonly [string, Faults][] = [
    ['2 % unprocessed', { unprocessed: 0.02 }],
    ['a tenth unprocessed', { unprocessed: 0.1 }],
    ['throttled requests', { throttle: 0.1 }],
    ['answers of 500', { serverError: 0.2 }],
    ['connections cut before the engine', { cutBefore: 0.2 }],
    ['connections cut after the engine', { cutAfter: 0.2 }],
    ['answers cut in the middle', { truncate: 0.2 }],
    [
      'all of it, with delays',
      { unprocessed: 0.1, throttle: 0.05, serverError: 0.05, cutBefore: 0.05, cutAfter: 0.05, delayMs: 20 },
    ],
  ];

  for (const [name, share] of faults) {
    it(`loses and doubles nothing with ${name}`, async () => {
      proxy.set(share);
      const items = Array.from({ length: count }, (_, n) => order(n, name));
      const result = await write(items.map((item) => ({ table: trading.name, put: item })));
      expect(result).to.include({ outcome: 'complete', read: count, written: count, deadLettered: 0 });
      const kinds = Object.keys(share).filter((kind) => kind !== 'delayMs');
      expect(proxy.made.size).to.be.at.least(Math.min(3, kinds.length));
      const found = await contents(trading);
      const mine = [...found.values()].filter((item) => 'S' in (item.SK ?? {}) && JSON.stringify(item.SK).includes(`#${name}`));
      const sorted = (list: Item[]) => list.map((item) => JSON.stringify(Object.entries(item).sort())).sort();
      expect(sorted(mine)).to.deep.equal(sorted(items));
    });
  }

  it('leaves the last of a key’s writes, puts and deletes, whatever fails', async () => {
    proxy.set({ unprocessed: 0.1, cutAfter: 0.1, serverError: 0.1 });
    const requests: WriteRequest[] = Array.from({ length: 400 }, (_, n) => {
      const key = { name: { S: `row${n % 10}` } };
      return n % 7 === 3 || n >= 395
        ? { table: rows.name, delete: key }
        : { table: rows.name, put: { ...key, n: { N: String(n) } } };
    });
    const acknowledged: WriteRequest[] = [];
    const result = await write(requests, { onAcknowledged: (done) => void acknowledged.push(...done) });
    expect(result.outcome).to.equal('complete');
    const keyOf = (request: WriteRequest) => JSON.stringify(('put' in request ? request.put : request.delete).name);
    for (let key = 0; key < 10; key += 1) {
      const isMine = (request: WriteRequest) => keyOf(request) === JSON.stringify({ S: `row${key}` });
      expect(acknowledged.filter(isMine)).to.deep.equal(requests.filter(isMine));
    }
    const expected = new Map<string, Item>();
    for (const request of requests) {
      if ('put' in request) expected.set(keyOf(request), request.put);
      else expected.delete(keyOf(request));
    }
    const found = [...(await contents(rows)).values()];
    expect(new Map(found.map((item) => [JSON.stringify(item.name), item]))).to.deep.equal(expected);
  });

  it('writes every type exactly as given', async () => {
    const items = fc.sample(anyItem, 60).map((item, n): Item => ({ ...item, id: { S: `exact${n}` } }));
    const indexed = ['gsi1pk', 'gsi1sk', 'gsi2pk', 'gsi2sk', 'gsi3pk', 'gsi3sk'];
    expect(items.some((item) => indexed.some((name) => name in item))).to.equal(false);
    items.push({ id: { S: 'long' }, n: { N: '12345678901234567890123456789012345678' }, tiny: { N: '1E-130' }, none: { S: '' } });
    expect(await write(items.map((put) => ({ table: orders.name, put })))).to.include({ outcome: 'complete' });
    const found = await contents(orders);
    for (const item of items) {
      expect(canonical(found.get(JSON.stringify([item.id, undefined])) ?? {})).to.deep.equal(canonical(item));
    }
  });

  it('writes items of 400 KB, more of them than one request holds', async () => {
    const big = (n: number): Item => ({ id: { S: `big${n}` }, body: { B: new Uint8Array(400 * 1_024 - 20).fill(n) } });
    const result = await write(Array.from({ length: 45 }, (_, n) => ({ table: orders.name, put: big(n) })));
    expect(result).to.include({ outcome: 'complete', written: 45 });
    expect([...(await contents(orders)).values()].filter((item) => 'body' in item)).to.have.length(45);
  });

  it('puts poison among good items into the dead letters, with the store’s reason, and writes the rest', async () => {
    const poison: Item = { id: { S: 'poison' }, tags: { SS: [] } };
    const tooBig: Item = { id: { S: 'too big' }, body: { S: 'x'.repeat(500_000) } };
    const wrongKey: Item = { id: { N: '5' } };
    const good = Array.from({ length: 80 }, (_, n): Item => ({ id: { S: `good${n}` } }));
    const items = [...good.slice(0, 33), poison, tooBig, ...good.slice(33, 60), wrongKey, ...good.slice(60)];
    const result = await write(items.map((put) => ({ table: orders.name, put })));
    expect(result).to.include({ outcome: 'incomplete', written: 80, deadLettered: 3 });
    const byCode = letters.map(({ request, reason }) => [reason.code, 'put' in request ? request.put.id : undefined]);
    expect(byCode).to.have.deep.members([
      ['ValidationException', { S: 'poison' }],
      ['BAD_ITEM', { S: 'too big' }],
      ['BAD_ITEM', { N: '5' }],
    ]);
    const found = await contents(orders);
    expect(good.every((item) => found.has(JSON.stringify([item.id, undefined])))).to.equal(true);
  });

  it('stops midway when aborted; the acknowledged are there, and a second run completes', async () => {
    proxy.set({ delayMs: 10, unprocessed: 0.05 });
    const items = Array.from({ length: 1_500 }, (_, n) => order(n, 'abort'));
    const abort = new AbortController();
    const acknowledged: WriteRequest[] = [];
    const onAcknowledged = (done: readonly WriteRequest[]): void => {
      acknowledged.push(...done);
      if (acknowledged.length > 400) abort.abort();
    };
    const requests = items.map((put) => ({ table: trading.name, put }));
    const first = await write(requests, { signal: abort.signal, onAcknowledged });
    expect(first).to.include({ outcome: 'interrupted', written: acknowledged.length });
    expect(first.written).to.be.within(400, 1_200);
    const count = async () => [...(await contents(trading)).keys()].filter((key) => key.includes('#abort')).length;
    expect(await count()).to.equal(acknowledged.length);
    const second = await write(requests);
    expect(second).to.include({ outcome: 'complete', written: 1_500 });
    expect(await count()).to.equal(1_500);
  });

  it('counts the units that the engine says, index writes included', async () => {
    const items = Array.from({ length: 100 }, (_, n) => order(n, 'units'));
    const result = await write(items.map((put) => ({ table: trading.name, put })));
    // The table, GSI1 and GSI3; the items have no key of GSI2.
    expect(result.tables[0]).to.include({ consumedUnits: 300, costRatio: 1 });
  });

  it('holds a budget in real time', async () => {
    const items = Array.from({ length: 1_000 }, (_, n) => order(n, 'budget'));
    const result = await write(
      items.map((put) => ({ table: trading.name, put })),
      { gates: new CapacityGates({ unitsPerSecond: 1_500 }) },
    );
    expect(result.tables[0]?.consumedUnits).to.equal(3_000);
    expect(3_000 / (result.elapsedMs / 1_000)).to.be.lessThan(1_500 * 1.1);
  });

  it('stops at once with the reason when the table is not there', async () => {
    const missing: WriteTable = { ...orders, name: 'no_such_table' };
    const work = write([{ table: missing.name, put: { id: { S: 'x' } } }], { tables: [missing] });
    const error = await work.catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'TABLE_MISSING');
    expect(error).to.have.property('message', 'no_such_table: the table or index does not exist in this stack');
  });

  it('knows what a table and its indexes have provisioned, nothing on demand', async () => {
    const units = (read: number, write: number) => ({ ReadCapacityUnits: read, WriteCapacityUnits: write });
    const key = (name: string) => [{ AttributeName: name, KeyType: 'HASH' as const }];
    await engine().client.send(
      new CreateTableCommand({
        TableName: 'provisioned',
        KeySchema: key('id'),
        AttributeDefinitions: ['id', 'owner'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        ProvisionedThroughput: units(10, 20),
        GlobalSecondaryIndexes: [
          {
            IndexName: 'by_owner',
            KeySchema: key('owner'),
            Projection: { ProjectionType: 'ALL' },
            ProvisionedThroughput: units(3, 7),
          },
        ],
      }),
    );
    expect(await provisionedCapacity(engine().client, 'provisioned')).to.deep.equal({ read: 13, write: 27 });
    expect(await provisionedCapacity(engine().client, orders.name)).to.deep.equal({ read: 0, write: 0 });
  });
});

describe('the fault proxy', () => {
  const engine = useEngine([control]);

  it('gives statements of a batch back as throttled without carrying them out, in their places', async () => {
    const proxy = await openFaultProxy(engine().endpoint, { unprocessed: 0.4 }, 9);
    const client = dynamoClient({ region: testConfig.region, endpoint: proxy.endpoint, maxAttempts: 1 });
    try {
      const statements = Array.from({ length: 25 }, (_, n) => ({
        Statement: `INSERT INTO "${rows.name}" VALUE {'name': 'statement${n}'}`,
      }));
      const { Responses = [] } = await client.send(new BatchExecuteStatementCommand({ Statements: statements }));
      const refused = Responses.flatMap(({ Error: error }, n) => (error?.Code === 'ThrottlingError' ? [n] : []));
      expect(Responses).to.have.length(25);
      expect(refused).to.have.length(proxy.made.get('unprocessed') ?? 0);
      expect(refused.length).to.be.within(1, 24);
      const written: string[] = [];
      for await (const page of paginateScan({ client: engine().client }, { TableName: rows.name })) {
        for (const item of page.Items ?? []) written.push(item.name?.S ?? '');
      }
      const taken = statements.flatMap((_, n) => (refused.includes(n) ? [] : [`statement${n}`]));
      expect(written).to.have.members(taken);
      expect(proxy.requests.get('BatchExecuteStatement')).to.equal(1);
    } finally {
      client.destroy();
      await proxy.close();
    }
  });
});

/** Sets in one order and numbers by value: the only freedoms a store has with an item. */
function canonical(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, held]) => {
    if (name === 'N' && typeof held === 'string') return [name, digits(held)];
    if (['SS', 'NS', 'BS'].includes(name) && Array.isArray(held)) return [name, held.map(canonical).map(String).sort()];
    return [name, canonical(held)];
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

/** A number as its digits and its power of ten, by text alone. */
function digits(text: string): string {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  const kept = all.replace(/0+$/, '');
  return `${text.startsWith('-') ? '-' : ''}${kept}e${kept === '' ? 0 : Number(power) - fraction.length + all.length - kept.length}`;
}
