import { expect } from 'chai';
import { market, markets } from '../../../tables/markets/markets.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { marketPosition, marketPositions } from '../../../tables/markets/positions.ts';
import { trade, trades } from '../../../tables/markets/trades.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import { useEngine } from '../../support/test-engine.ts';

const time = (second: number) => `2025-10-14T10:00:${String(second).padStart(2, '0')}.000Z`;
const bid = (id: string, price: string, more: Partial<InputOf<typeof marketOrder>> = {}): InputOf<typeof marketOrder> => ({
  id,
  marketId: 'mkt123',
  side: 'Buy',
  price,
  size: '500',
  remaining: '200',
  status: 'Open',
  owner: 'alice',
  createdAt: time(1),
  ...more,
});

describe('markets patterns', () => {
  const engine = useEngine([markets, marketOrders, trades, marketPositions]);
  const ids = async (pattern: Parameters<ReturnType<typeof engine>['read']>[0], params: Readonly<Record<string, unknown>>) =>
    (await engine().read(pattern, params)).map((item) => item.id);

  before(async () => {
    const { put } = engine();
    const made = (id: string, status: 'Active' | 'Closed', second: number) => ({
      id,
      title: id,
      status,
      createdAt: time(second),
    });
    await put(markets, market, [
      made('m1', 'Active', 1),
      made('m2', 'Active', 3),
      made('m3', 'Active', 2),
      made('m4', 'Closed', 4),
    ]);
    await put(marketOrders, marketOrder, [
      bid('b1', '101.25'),
      bid('b2', '9.5'),
      bid('b3', '101.2500000000000000000000000000000001'),
      bid('b4', '100', { status: 'PartiallyFilled' }),
      bid('dead1', '999', { status: 'Filled', remaining: '0' }),
      bid('dead2', '999', { status: 'Cancelled' }),
      bid('dead3', '999', { remaining: '0' }),
      bid('elsewhere', '999', { marketId: 'mkt124' }),
      bid('a1', '102', { side: 'Sell' }),
      bid('a2', '101.5', { side: 'Sell' }),
      bid('a3', '1000', { side: 'Sell', owner: 'bob', createdAt: time(9) }),
      bid('a4', '20', { side: 'Sell', status: 'Expired' }),
    ]);
    const traded = (id: string, marketId: string, positionId: string, second: number) => ({
      id,
      marketId,
      positionId,
      side: 'Buy' as const,
      price: '101.25',
      size: '10',
      createdAt: time(second),
    });
    await put(trades, trade, [traded('t1', 'mkt123', 'p1', 1), traded('t2', 'mkt123', 'p2', 3), traded('t3', 'mkt124', 'p1', 2)]);
    const holding = (id: string, owner: string, marketId: string) => ({
      id,
      owner,
      marketId,
      size: '10',
      avgPrice: '101',
      createdAt: time(1),
    });
    await put(marketPositions, marketPosition, [
      holding('p1', 'alice', 'mkt123'),
      holding('p2', 'alice', 'mkt122'),
      holding('p3', 'bob', 'mkt123'),
    ]);
  });

  it('recent markets of a status come newest first', async () => {
    expect(await ids(markets.patterns.byStatus, { status: 'Active' })).to.deep.equal(['m2', 'm3', 'm1']);
    expect(await ids(markets.patterns.byStatus, { status: 'Paused' })).to.deep.equal([]);
  });

  it('bids come best first, to the last of 38 digits, without dead orders', async () => {
    expect(await ids(marketOrders.patterns.bestBids, { marketId: 'mkt123' })).to.deep.equal(['b3', 'b1', 'b4', 'b2']);
    expect(await ids(marketOrders.patterns.bestBids, { marketId: 'mkt123', n: 2 })).to.deep.equal(['b3', 'b1']);
  });

  it('asks come cheapest first, by number and not by text', async () => {
    expect(await ids(marketOrders.patterns.bestAsks, { marketId: 'mkt123', n: '5' })).to.deep.equal(['a2', 'a1', 'a3']);
  });

  it('an owner sees all orders, dead ones too, newest first', async () => {
    expect(await ids(marketOrders.patterns.byOwner, { owner: 'bob' })).to.deep.equal(['a3']);
    expect(await ids(marketOrders.patterns.byOwner, { owner: 'alice' })).to.have.length(11);
  });

  it('trades come latest first, by market and by position', async () => {
    expect(await ids(trades.patterns.byMarket, { marketId: 'mkt123' })).to.deep.equal(['t2', 't1']);
    expect(await ids(trades.patterns.byPosition, { positionId: 'p1' })).to.deep.equal(['t3', 't1']);
  });

  it('positions are found by owner, by market, and for an owner in a market', async () => {
    expect(await ids(marketPositions.patterns.byOwner, { owner: 'alice' })).to.deep.equal(['p2', 'p1']);
    expect(await ids(marketPositions.patterns.byMarket, { marketId: 'mkt123' })).to.deep.equal(['p1', 'p3']);
    expect(await ids(marketPositions.patterns.ofOwnerInMarket, { owner: 'alice', marketId: 'mkt122' })).to.deep.equal(['p2']);
    expect(await ids(marketPositions.patterns.ofOwnerInMarket, { owner: 'bob', marketId: 'mkt122' })).to.deep.equal([]);
  });

  it('a limit of nothing is refused', async () => {
    const failure = await engine()
      .read(marketOrders.patterns.bestBids, { marketId: 'mkt123', n: 0 })
      .then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    expect(failure?.message).to.equal('markets.orders.bestBids: n: expected at least 1, found 0');
  });
});
