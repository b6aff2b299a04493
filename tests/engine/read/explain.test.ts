import { expect } from 'chai';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import { ledgerItem } from '../../../engine/core/ledger/ledger-codec.ts';
import { checkCall, type Params } from '../../../engine/core/read/checked-call.ts';
import { type Explanation, explainRead, unitsFor } from '../../../engine/core/read/explain-read.ts';
import { planRead } from '../../../engine/core/read/plan-read.ts';
import type { ReadOptions } from '../../../engine/core/read/read-options.ts';
import { unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';
import { type ReadSource, sendPlan } from '../../../engine/run/read/read-pattern.ts';
import { marketOrders } from '../../../tables/markets/orders.ts';
import { cutoverState, type ReadState } from '../../../tables/model/ledger/cutover-records.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { patternsOf } from '../../../tables/model/project.ts';
import { omsTradingData } from '../../../tables/oms/trading-data.ts';
import { tables } from '../../support/project.ts';
import { openRecordingServer, type RecordingServer } from '../../support/recording-server.ts';
import { repository, runCli } from '../../support/run-cli.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';

describe('explain', () => {
  const planOf = (pattern: Pattern, params: Params, options: ReadOptions = {}) =>
    planRead(checkCall(tables, pattern, params), testConfig, options);
  const figures = { records: 10_000, bytes: 4_096_000 };

  it('gives the request, the expected units and those of a Scan', () => {
    const { bestBids } = marketOrders.patterns;
    const found = explainRead(planOf(bestBids, { marketId: 'm', n: 20 }), { figures });
    expect(found.request).to.deep.include({ TableName: 'orders-test', IndexName: 'orders_by_market_buy', Limit: 20 });
    // 20 × 410 bytes are three times 4 KB begun, at half a unit each.
    expect(found.expected).to.deep.equal({ records: 20, limited: true, recordBytes: 410, measured: true, units: 1.5 });
    expect(found.scan).to.deep.equal({ records: 10_000, units: 500 });
    expect(found.why).to.deep.equal([
      'The hash key gsi1pk of index orders_by_market_buy is given by equality, so only the records of that one partition are read.',
      'They come sorted by gsi1sk, so nothing is sorted afterwards.',
      'It stops after 20; the rest of the partition is not read.',
    ]);
  });

  it('charges lookups of whole records one by one', () => {
    const { ofMasterOrder } = omsTradingData.patterns;
    const { expected } = explainRead(planOf(ofMasterOrder, { masterOrderId: 'x' }), { figures });
    expect(expected.units).to.equal(unitsFor(100 * 150) + 100 * 0.5);
  });

  it('explains every pattern of the catalogue, with or without the size of its table', () => {
    for (const pattern of patternsOf(tables)) {
      const found = explainRead(planOf(pattern, pattern.example));
      expect(found.why, pattern.name).not.to.have.length(0);
      expect(found.expected.units, pattern.name).to.be.at.least(0.5);
      expect(found.scan).to.equal(null);
    }
  });

  it('says of a Scan that it reads the whole table, and what the reader does afterwards', () => {
    const plan = planOf(marketOrders.patterns.bestBids, { marketId: 'm', n: 20 }, { state: 'shadow' });
    const found = explainRead(plan, { state: 'shadow', figures });
    expect(found).to.deep.include({ state: 'shadow', way: 'scan', operation: 'Scan', table: 'orders-test', index: null });
    expect(found.expected).to.deep.equal({ records: 10_000, limited: true, recordBytes: 410, measured: true, units: 500 });
    expect(found.why).to.deep.equal([
      'The whole table is read and paid for; the filter drops what does not match.',
      'The reader sorts by price when all of it has been read.',
      'The reader keeps 20; the Scan reads on all the same.',
      'On a share of reads the query is tried beside it.',
    ]);
  });

  it('says what a filter and a limit make of each other, and names a range key only where it narrows', () => {
    const { ordersByProduct } = omsTradingData.patterns;
    const { request, expected, why } = explainRead(planOf(ordersByProduct, { productId: 'p' }, { limit: 5 }), { figures });
    expect([(request as { Limit?: number }).Limit, expected.records]).to.deep.equal([100, 100]);
    expect(why.slice(1)).to.deep.equal([
      'They come sorted by GSI1_SK, so nothing is sorted afterwards.',
      'A filter drops other entities of the partition; those are read and paid for too.',
      'It stops when 5 are found, and looks at up to 100 in a request.',
    ]);
    const from = explainRead(planOf(ordersByProduct, { productId: 'p', from: '2025-11-14T00:00:00Z' }));
    expect(from.why[1]).to.equal('The range key GSI1_SK narrows them further before anything is read.');
  });

  it('counts twice the units for consistent reads, and no more records than the table has', () => {
    const { ordersOfClient } = omsTradingData.patterns;
    const units = (options: ReadOptions) =>
      explainRead(planOf(ordersOfClient, { clientId: 'c' }, options), { figures }).expected.units;
    expect(units({ consistent: true })).to.equal(2 * units({}));
    const few = explainRead(planOf(ordersOfClient, { clientId: 'c' }), { figures: { records: 7, bytes: 700 } });
    expect([few.expected.records, few.expected.units]).to.deep.equal([7, 0.5]);
  });

  describe('and the wire', () => {
    const item = { id: { S: 'o1' }, owner: { S: 'ana' }, createdAt: { S: '2026' } };
    let server: RecordingServer;
    let state: ReadState | undefined;
    const stateItem = (known: ReadState) =>
      ledgerItem(cutoverState, {
        pattern: 'markets.orders.byOwner',
        state: known,
        share: 0.1,
        version: 1,
        changedAt: '2026-01-01T00:00:00.000Z',
        changedBy: 'a test',
      });

    before(async () => {
      server = await openRecordingServer(({ operation, body }) => {
        if (operation === 'GetItem' && String(body.TableName).startsWith('tablewright')) {
          return state === undefined ? {} : { Item: stateItem(state) };
        }
        const [Items, Count] = operation === 'Scan' ? [[item], 1] : [[], 0];
        return ['GetItem', 'Query', 'Scan'].includes(operation) ? { Items, Count, ScannedCount: Count } : undefined;
      });
    });
    after(() => server.close());
    beforeEach(() => {
      server.requests.length = 0;
    });

    it('agree to the letter: every pattern, both ways, with and without options', async () => {
      const client = dynamoClient({ region: testConfig.region, endpoint: server.endpoint });
      const source: ReadSource = { store: dynamoStore(client), gates: unlimitedGates(), sleep, random: Math.random };
      const expected: unknown[] = [];
      for (const pattern of patternsOf(tables)) {
        const ways = pattern.legacy === undefined ? (['query'] as const) : (['query', 'scan', 'shadow'] as const);
        for (const state of ways) {
          for (const options of [
            {},
            { limit: 3 },
            { count: true },
            ...(pattern.index === undefined ? [{ consistent: true }] : []),
          ]) {
            const plan = planOf(pattern, pattern.example, { state, ...options });
            expected.push(JSON.parse(JSON.stringify(explainRead(plan).request)));
            for await (const _ of sendPlan(source, plan));
          }
        }
      }
      client.destroy();
      expect(expected.length).to.be.greaterThan(200);
      expect(server.requests.map(({ body }) => body)).to.deep.equal(expected);
    });

    for (const [known, way, printed] of [
      [undefined, 'scan', '1 record, 1 page, 0 read units, by scan\n'],
      ['query', 'query', '0 records, 1 page, 0 read units, by query\n'],
    ] as const) {
      it(`agree at the command line, which reads by ${way} ${known === undefined ? 'before any cut-over' : `in state ${known}`}`, async () => {
        state = known;
        const words = ['markets.orders.byOwner', 'owner=ana', '--limit', '7', '--reverse', '--endpoint', server.endpoint];
        const told = await runCli(repository, ['explain', ...words, '--json']);
        expect([told.code, told.stderr]).to.deep.equal([0, '']);
        const explanation = JSON.parse(told.stdout) as Explanation;
        expect([explanation.way, explanation.state]).to.deep.equal([way, known ?? 'scan']);
        const asked = await runCli(repository, ['query', ...words]);
        expect([asked.code, asked.stderr]).to.deep.equal([0, '']);
        expect(asked.stdout.endsWith(printed), asked.stdout).to.equal(true);
        const last = server.requests.at(-1);
        expect(last?.operation.toLowerCase()).to.equal(way);
        expect(last?.body).to.deep.equal(explanation.request);
      });
    }

    it('--way leaves the state aside; with --json the records go out alone, and how they were read beside them', async () => {
      state = 'query';
      const words = ['markets.orders.byOwner', 'owner=ana', '--way', 'scan', '--endpoint', server.endpoint, '--json'];
      const asked = await runCli(repository, ['query', ...words]);
      expect(
        asked.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).to.deep.equal([{ id: 'o1', owner: 'ana', createdAt: '2026' }]);
      expect(JSON.parse(asked.stderr)).to.deep.equal({ version: 1, event: 'done', records: 1, pages: 1, units: 0, way: 'scan' });
      expect(server.requests.map(({ operation }) => operation)).to.deep.equal(['Scan']);
    });
  });

  describe('at the command line', () => {
    const engine = useEngine([]);

    it('works without a table and says what is wrong with the parameters', async () => {
      const at = ['--endpoint', engine().endpoint];
      const told = await runCli(repository, ['explain', 'markets.orders.byId', 'id=o1', ...at]);
      expect([told.code, told.stderr]).to.deep.equal([0, '']);
      expect(told.stdout).to.contain('GetItem on orders-dev').and.to.contain('Why it is not a Scan');
      const wrong = await runCli(repository, ['explain', 'markets.orders.byOwner', 'own=x', ...at]);
      expect(wrong.code).to.equal(2);
      expect(wrong.stderr).to.contain('BAD_PARAMETER: markets.orders.byOwner').and.to.contain('owner:');
    });
  });
});
