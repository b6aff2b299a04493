import { expect } from 'chai';
import { runRetry } from '../../engine/run/migrate/run-retry.ts';
import m0012 from '../../migrations/0012-claim-order-ids.ts';
import { omsConfig, omsTradingData } from '../../tables/catalogue.ts';
import type { InputOf } from '../../tables/model/entity.ts';
import { buildItem } from '../../tables/model/item.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { client, product } from '../../tables/oms/config.ts';
import { order, orderId } from '../../tables/oms/trading-data.ts';
import { createOrder } from '../../tables/operations.ts';
import { ledgerOf, migrate, migrateEnvironment, sourceOf } from '../support/migrate-engine.ts';
import { useEngine } from '../support/test-engine.ts';

const alone = { ...m0012, needs: { ...m0012.needs, migrations: [] } };
const today = new Date();
const at = (second: number): string => {
  const day = String(today.getUTCDate()).padStart(2, '0');
  const month = String(today.getUTCMonth() + 1).padStart(2, '0');
  return `${day}/${month}/${today.getUTCFullYear()} 10:00:${String(second).padStart(2, '0')}`;
};
const ordered = (order_id: string, client_id: string, second: number): InputOf<typeof order> => ({
  order_id,
  client_id,
  product_id: 'p1',
  symbol: 'BTCBRL',
  side: 'BUY',
  quantity: '1',
  status: 'NEW',
  order_type: 'LIMIT',
  created_at: at(second),
  updated_at: at(second),
});
const built = (input: InputOf<typeof order>) => buildItem(omsTradingData, order, input);
const keyText = (input: InputOf<typeof order>) => {
  const { PK, SK } = built(input) as Record<string, { readonly S: string }>;
  return `${PK?.S} / ${SK?.S}`;
};

describe('orders that share an id', () => {
  const engine = useEngine([omsConfig, omsTradingData, ledger]);
  // In one partition, which one page holds, and in others; three with one id; one that is alone.
  const twins = [ordered('twin', 'c1', 1), ordered('twin', 'c1', 2), ordered('twin', 'c2', 3)] as const;
  const lone = ordered('lone', 'c1', 4);
  const claimed = ordered('claimed', 'c1', 5);
  const late = ordered('claimed', 'c2', 6);

  before(async () => {
    await engine().put(omsConfig, client, [{ client_id: 'c1', name: 'c1', status: 'ACTIVE' }]);
    await engine().put(omsConfig, product, [{ product_id: 'p1', name: 'p1', status: 'ACTIVE' }]);
    await engine().put(omsTradingData, order, [...twins, lone, claimed, late]);
    const { order_id, client_id, created_at } = claimed;
    await engine().put(omsTradingData, orderId, [{ order_id, client_id, created_at }]);
  });

  it('become dead letters that name both orders; one keeps the id, all others are as they were', async () => {
    const environment = migrateEnvironment(engine(), { tables: [omsConfig, omsTradingData, ledger] });
    const { results } = await migrate(environment, [alone]);
    expect(results.map(({ state }) => state)).to.deep.equal(['incomplete']);
    const dead = await ledgerOf(environment).dead(m0012.id);
    const reasons = dead.map(({ reason }) => reason).toSorted();
    expect(reasons).to.have.length(3);
    expect(reasons[0]).to.equal(`order_id claimed is that of two orders: ${keyText(claimed)} and ${keyText(late)}`);
    const pairs = twins.flatMap((holder) =>
      twins.map((other) => `order_id twin is that of two orders: ${keyText(holder)} and ${keyText(other)}`),
    );
    expect(pairs).to.include.members(reasons.slice(1));
    const holders = new Set(reasons.slice(1).map((reason) => reason.split(': ')[1]?.split(' and ')[0]));
    expect(holders.size, 'one holder').to.equal(1);
    for (const id of ['twin', 'lone', 'claimed']) {
      expect(await engine().run(createOrder, ordered(id, 'c1', 30)), id).to.deep.equal({
        outcome: 'refused',
        reason: 'order-exists',
      });
    }

    // Whoever is responsible gives the others another id; then the letters are settled and the whole is proven.
    const [holder] = holders;
    const others = [...twins, late].filter((input) => keyText(input) !== holder);
    await engine().removeRaw(omsTradingData, others.map(built));
    await engine().put(
      omsTradingData,
      order,
      others.map((input, number) => ({ ...input, order_id: `renamed_${number}` })),
    );
    const retried = await runRetry(environment, sourceOf(alone), new AbortController().signal);
    // What was renamed is another record: the pass over the whole table finds it.
    expect(retried.dead).to.equal(0);
    const again = await migrate(environment, [alone]);
    expect(again.results.map(({ state }) => state)).to.deep.equal(['verified']);
  });
});
