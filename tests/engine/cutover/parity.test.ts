import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { checkParity } from '../../../engine/run/cutover/check-parity.ts';
import { type ReadEnvironment, readAll } from '../../../engine/run/read/read-pattern.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { updateMarketOrder } from '../../../tables/operations.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { orderInput } from './legacy-world.ts';

const TableName = physicalName(marketOrders, testConfig);

describe('parity of the order book', () => {
  const engine = useEngine([marketOrders]);
  const { bestBids, bestAsks, byOwner, byId } = marketOrders.patterns;
  const numbers = Array.from({ length: 80 }, (_, number) => number);

  beforeEach(async () => {
    await engine().put(
      marketOrders,
      marketOrder,
      numbers.map((number) => orderInput(number)),
    );
  });

  const change = (id: string, attributes: Item) => {
    const names = Object.keys(attributes);
    return engine().client.send(
      new UpdateItemCommand({
        TableName,
        Key: { id: { S: id } },
        UpdateExpression: `SET ${names.map((_, at) => `#n${at} = :v${at}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#n${at}`, name])),
        ExpressionAttributeValues: Object.fromEntries(Object.values(attributes).map((value, at) => [`:v${at}`, value])),
      }),
    );
  };
  const differences = async (pattern: typeof bestBids | typeof byOwner) =>
    (await checkParity(engine().environment, pattern)).differences;

  it('holds for all patterns as the catalogue writes them', async () => {
    for (const pattern of [bestBids, bestAsks, byOwner, byId]) {
      const report = await checkParity(engine().environment, pattern);
      expect([report.outcome, report.differences, report.unsettled]).to.deep.equal(['holds', [], []]);
      expect(report.settled).to.equal(0);
    }
  });

  it('reads both ways to the last page', async () => {
    const { store } = engine().environment;
    const pages = { scan: 0, query: 0 };
    const paged: ReadEnvironment = {
      ...engine().environment,
      store: {
        ...store,
        scan: (request, signal) => {
          pages.scan += 1;
          return store.scan({ ...request, Limit: 7 }, signal);
        },
        query: (request, signal) => {
          pages.query += 1;
          return store.query({ ...request, Limit: 2 }, signal);
        },
      },
    };
    expect((await checkParity(paged, bestBids)).outcome).to.equal('holds');
    expect(pages.scan).to.be.greaterThan(12);
    expect(pages.query).to.be.greaterThan(8);
    const old = await readAll(paged, byOwner, { owner: 'w1' }, { state: 'scan' });
    expect(old.items.length).to.be.greaterThan(20);
    expect(old.pages).to.be.greaterThan(10);
    await change('o0058', { gsi1pk: { S: 'm0#Buy' } });
    expect((await checkParity(paged, bestBids)).differences.map(({ key }) => key)).to.deep.equal(['o0058', 'o0058']);
  });

  it('finds a record whose keys were taken away by hand', async () => {
    const { gsi1pk: _, ...item } = buildItem(marketOrders, marketOrder, orderInput(2));
    await engine().client.send(new PutItemCommand({ TableName, Item: item }));
    expect(await differences(bestBids)).to.deep.equal([
      { kind: 'missing', value: { marketId: 'm2' }, key: 'o0002', cause: 'not-backfilled', detail: 'gsi1pk missing' },
    ]);
  });

  it('finds a record that stands in another market’s book, in both', async () => {
    await change('o0002', { gsi1pk: { S: 'm0#Buy' } });
    const detail = 'gsi1pk: expected m2#Buy, found m0#Buy';
    expect(await differences(bestBids)).to.have.deep.members([
      { kind: 'extra', value: { marketId: 'm0' }, key: 'o0002', cause: 'wrong-key', detail },
      { kind: 'missing', value: { marketId: 'm2' }, key: 'o0002', cause: 'wrong-key', detail },
    ]);
  });

  it('finds a record in a book of a market that has no records at all', async () => {
    await change('o0002', { gsi1pk: { S: 'nowhere#Buy' } });
    expect((await differences(bestBids)).map(({ kind, value }) => [kind, value.marketId])).to.have.deep.members([
      ['extra', 'nowhere'],
      ['missing', 'm2'],
    ]);
  });

  it('finds a dead order in the book', async () => {
    await change('o0002', { status: { S: 'Filled' } });
    expect(await differences(bestBids)).to.deep.equal([
      {
        kind: 'extra',
        value: { marketId: 'm2' },
        key: 'o0002',
        cause: 'dead-in-index',
        detail: 'still has gsi1pk, gsi1sk, though their rule (on side, status, remaining) does not hold',
      },
    ]);
  });

  it('finds a record at the wrong place, and blames it alone', async () => {
    await change('o0002', { gsi1sk: { N: '-99' } });
    const report = await checkParity(engine().environment, bestBids);
    expect(report.settled).to.equal(0);
    expect(report.differences).to.deep.equal([
      {
        kind: 'order',
        value: { marketId: 'm2' },
        key: 'o0002',
        cause: 'wrong-key',
        detail: 'gsi1sk: expected -0.24, found -99',
      },
    ]);
  });

  it('names what the keys cannot be made of', async () => {
    const { createdAt: _, gsi3sk: __, ...item } = buildItem(marketOrders, marketOrder, orderInput(3));
    await engine().client.send(new PutItemCommand({ TableName, Item: item }));
    expect(await differences(byOwner)).to.deep.equal([
      {
        kind: 'missing',
        value: { owner: 'w0' },
        key: 'o0003',
        cause: 'not-backfilled',
        detail: 'gsi3sk cannot be made: createdAt missing',
      },
    ]);
    await change('o0003', { createdAt: { S: '2025-10-14T00:00:03.000Z' }, gsi3sk: { S: '2025-10-14T00:00:03.000Z' } });
  });

  it('raises no false alarm while a writer inserts, moves, fills and deletes orders all the time', async () => {
    let stop = false;
    let writes = 0;
    const writer = async () => {
      for (let number = 0; !stop; number = (number + 1) % 80) {
        const id = `o${String(number).padStart(4, '0')}`;
        const status = number % 3 === 0 ? 'Filled' : 'Open';
        await engine().run(updateMarketOrder, { id, status, remaining: status === 'Filled' ? '0' : '3' });
        const moved = orderInput(number, {
          id: `moving${number % 6}`,
          price: `0.${10 + (writes % 80)}`,
          status: 'Open',
          remaining: '1',
        });
        await engine().put(marketOrders, marketOrder, [moved]);
        if (number % 2 === 0) {
          await engine().client.send(new DeleteItemCommand({ TableName, Key: { id: { S: `moving${(number + 1) % 6}` } } }));
        }
        writes += 3;
      }
    };
    const writing = writer();
    try {
      // As often as it takes for the writer to have come in between many times.
      do {
        for (const pattern of [bestBids, bestAsks, byOwner]) {
          const report = await checkParity(engine().environment, pattern);
          expect([pattern.name, report.differences]).to.deep.equal([pattern.name, []]);
        }
      } while (writes < 50);
    } finally {
      stop = true;
      await writing;
    }
  });

  it('still finds a planted difference while a writer is at work', async () => {
    await change('o0002', { gsi1pk: { S: 'm0#Buy' } });
    let stop = false;
    const writer = async () => {
      for (let turn = 0; !stop; turn += 1) {
        const moved = orderInput(4, { id: 'moving', price: `0.${10 + (turn % 80)}`, status: 'Open', remaining: '1' });
        await engine().put(marketOrders, marketOrder, [moved]);
      }
    };
    const writing = writer();
    try {
      expect(new Set((await differences(bestBids)).map(({ key }) => key))).to.deep.equal(new Set(['o0002']));
    } finally {
      stop = true;
      await writing;
    }
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const checked = checkParity(engine().environment, bestBids, { signal: stop.signal });
    expect(await checked.catch((error: Error) => error.message)).to.equal('enough');
  });
});
