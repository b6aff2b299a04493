import { expect } from 'chai';
import { explainRead, unitsFor } from '../../../engine/core/read/explain-read.ts';
import { checkCall, type Params } from '../../../engine/core/read/pattern-call.ts';
import { planRead } from '../../../engine/core/read/plan-read.ts';
import type { ReadOptions } from '../../../engine/core/read/read-options.ts';
import { marketOrders } from '../../../tables/markets/orders.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { omsTradingData } from '../../../tables/oms/trading-data.ts';
import { patternsOf, tables } from '../../../tables/tables.ts';
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
