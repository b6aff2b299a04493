import { expect } from 'chai';
import fc from 'fast-check';
import { backtestResults, result } from '../../tables/backtest/results.ts';
import { marketOrder, marketOrders } from '../../tables/markets/orders.ts';
import { plainItem } from '../../tables/model/attribute-value.ts';
import { canonicalDecimal, negateDecimal } from '../../tables/model/decimal.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import { buildItem, entityOf, tryBuildItem } from '../../tables/model/item.ts';
import { isoToBrazilian } from '../../tables/model/time.ts';
import { omsConfig, product } from '../../tables/oms/config.ts';
import { analystOrder, execution, omsTradingData, order, position } from '../../tables/oms/trading-data.ts';
import { orderItem, orderManagement, orderShipping } from '../../tables/order-management/order-management.ts';
import { documentedOrder } from '../support/documented-order.ts';
import { tables } from '../support/project.ts';

const sample = {
  order_id: 'order_456',
  client_id: 'client_123',
  product_id: 'prod_001',
  symbol: 'BTCUSDT',
  side: 'BUY',
  quantity: '1.5',
  price: '45000.00',
  status: 'FILLED',
  order_type: 'LIMIT',
  master_order_id: 'master_789',
  created_at: '14/11/2025 10:30:00',
  updated_at: '14/11/2025 10:31:15',
} as const;

const part = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !text.includes('#'));
const amount = fc
  .tuple(fc.stringMatching(/^[1-9]\d{0,17}$/), fc.stringMatching(/^\d{1,18}[1-9]$/))
  .map(([whole, rest]) => `${whole}.${rest}`);
const moment = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 19)}Z`);

describe('the item builder', () => {
  it('derives the documented order item from its plain attributes', () => {
    expect(buildItem(omsTradingData, order, sample)).to.deep.equal({
      ...documentedOrder,
      ttl: { N: String(Date.UTC(2025, 10, 14, 10, 30) / 1_000 + 90 * 86_400) },
    });
  });

  it('leaves the master order index out where there is no master order', () => {
    const { master_order_id: _, ...alone } = sample;
    const item = buildItem(omsTradingData, order, alone);
    expect(item).not.to.have.any.keys('GSI2_PK', 'GSI2_SK', 'master_order_id');
    expect(item).to.include.keys('GSI1_PK', 'GSI3_PK');
  });

  it('gives a position no ttl', () => {
    const item = buildItem(omsTradingData, position, {
      client_id: 'client_123',
      product_id: 'prod_001',
      symbol: 'BTCUSDT',
      side: 'LONG',
      quantity: '3.5',
      avg_entry_price: '44500',
      unrealized_pnl: '1750',
      realized_pnl: '500',
      last_updated: '14/11/2025 10:35:00',
    });
    expect(item).not.to.have.property('ttl');
    expect(item.SK).to.deep.equal({ S: 'POSITION#BTCUSDT#LONG' });
    expect(item.GSI1_SK).to.deep.equal({ S: 'POSITION#BTCUSDT' });
  });

  it('round-trips every plain attribute of an order, digits and all', () => {
    const input = fc.record({
      order_id: part,
      client_id: part,
      product_id: part,
      quantity: amount,
      price: amount,
      created: moment,
    });
    fc.assert(
      fc.property(input, ({ created, ...values }) => {
        const created_at = isoToBrazilian(created) ?? '';
        const plain = { ...sample, ...values, created_at };
        const item = buildItem(omsTradingData, order, plain);
        expect(plainItem(item)).to.include({
          ...plain,
          quantity: canonicalDecimal(values.quantity),
          price: canonicalDecimal(values.price),
        });
        expect(item.SK).to.deep.equal({ S: `ORDER#${created}#${values.order_id}` });
        expect(entityOf(omsTradingData, item)).to.equal(order);
      }),
    );
  });

  it('keeps an order in the book exactly while it can trade, bids by −price to the last digit', () => {
    const input = fc.record({
      side: fc.constantFrom('Buy', 'Sell'),
      status: fc.constantFrom('Open', 'PartiallyFilled', 'Filled', 'Cancelled', 'Expired'),
      price: amount,
      remaining: fc.oneof(fc.constant('0'), fc.constant('0.000'), amount),
    } as const);
    fc.assert(
      fc.property(input, ({ side, status, price, remaining }) => {
        const plain = {
          id: 'o1',
          marketId: 'mkt123',
          size: '9E+100',
          owner: 'me',
          createdAt: '2025-10-14T10:00:00.000Z',
          side,
          status,
          price,
          remaining,
        };
        const item = buildItem(marketOrders, marketOrder, plain);
        const live = (status === 'Open' || status === 'PartiallyFilled') && !/^0(\.0*)?$/.test(remaining);
        expect(item.gsi1sk).to.deep.equal(live && side === 'Buy' ? { N: negateDecimal(price) } : undefined);
        expect(item.gsi2sk).to.deep.equal(live && side === 'Sell' ? { N: canonicalDecimal(price) } : undefined);
        expect('gsi1pk' in item).to.equal(live && side === 'Buy');
        expect('gsi2pk' in item).to.equal(live && side === 'Sell');
        expect(item.marketSide).to.deep.equal({ S: `mkt123#${side}` });
        expect(item.sort).to.deep.equal({ N: side === 'Buy' ? negateDecimal(price) : canonicalDecimal(price) });
      }),
    );
  });

  it('takes 38 digits and refuses the 39th, a float, and a number that is none', () => {
    const digits = '1234567890123456789.0123456789012345678';
    expect(buildItem(omsTradingData, order, { ...sample, quantity: digits }).quantity).to.deep.equal({ N: digits });
    const problems = (quantity: unknown) => {
      const built = tryBuildItem(omsTradingData, order, { ...sample, quantity });
      return 'problems' in built ? built.problems : [];
    };
    expect(problems(`${digits}9`)).to.deep.equal([
      `quantity: expected a decimal, found "${digits}9": 39 significant digits, at most 38 are kept`,
    ]);
    expect(problems(0.1)).to.deep.equal(["quantity: expected a decimal as a string, found the float 0.1; write it as '0.1'"]);
    expect(problems('1,5')).to.deep.equal(['quantity: expected a decimal, found "1,5": not a decimal number']);
  });

  it('names every problem of a record at once, with the next step', () => {
    const bad = { ...sample, side: 'HOLD', created_at: '31/02/2025 10:00:00', surprise: true } as unknown as typeof sample;
    const failure = (() => {
      try {
        buildItem(omsTradingData, order, bad);
      } catch (error) {
        return error as TablewrightError;
      }
      return undefined;
    })();
    expect(failure).to.be.instanceOf(TablewrightError);
    expect(failure?.code).to.equal('BAD_ITEM');
    expect(failure?.problems).to.have.length(3);
    expect(failure?.message).to.contain('created_at: expected a time as DD/MM/YYYY HH:mm:ss, found "31/02/2025 10:00:00"');
    expect(failure?.next).to.equal("Correct the attributes; 'tablewright tables oms_trading_data' lists what ORDER takes.");
  });

  it('refuses a key part that would reach into another key, and keys that are too long', () => {
    const problems = (client_id: string) => {
      const built = tryBuildItem(omsTradingData, order, { ...sample, client_id });
      return 'problems' in built ? built.problems : [];
    };
    expect(problems('a#b').join()).to.contain('client_id: "a#b" may not contain \'#\'');
    expect(problems('é'.repeat(1_100))).to.deep.equal(['PK: 2207 bytes, a key holds at most 2048']);
  });

  it('tells the entities of a table apart by their keys alone', () => {
    const execItem = buildItem(omsTradingData, execution, {
      execution_id: 'exec_111',
      order_id: 'order_456',
      client_id: 'client_123',
      product_id: 'prod_001',
      symbol: 'BTCUSDT',
      side: 'BUY',
      quantity: '1.5',
      price: '45000',
      commission: '2.25',
      executed_at: '14/11/2025 10:31:00',
    });
    const link = buildItem(omsTradingData, analystOrder, { ...sample, analyst_id: 'analyst_001' });
    expect(entityOf(omsTradingData, execItem)).to.equal(execution);
    expect(entityOf(omsTradingData, link)).to.equal(analystOrder);
    expect(entityOf(omsTradingData, { PK: { S: 'CLIENT#1' }, SK: { S: 'NOTE#1' } })).to.equal(undefined);
    expect(entityOf(omsConfig, buildItem(omsConfig, product, { product_id: '1', name: 'Spot', status: 'ACTIVE' }))).to.equal(
      product,
    );
  });

  it('stores nested maps, lists and flags in their own types', () => {
    const item = buildItem(backtestResults, result, {
      symbol: 'BTCUSDT',
      scan_timestamp: 1_702_800_000,
      volatility_24h: '5.23',
      turnover: '6858457877.50',
      price: '86623.60',
      price_change_24h: '0.91',
      optimal_timeframe: '1m',
      optimal_pnl: '679.20',
      optimal_win_rate: '56.4',
      btc_correlation: '0.85',
      timeframes: {
        '1m': {
          total_trades: 234,
          win_rate: '56.4',
          total_pnl: '679.20',
          avg_win: '18.40',
          avg_loss: '-11.20',
          confidence_avg: '82.5',
          best_strategy: 'ADVANCED',
          analysis_time: '15.3',
          status: 'completed',
        },
      },
      trend_analysis: { current_trend: 'UPTREND', strength: '75.3', btc_trend: 'SIDEWAYS' },
      scan_id: 'scan-20251217-120000',
      analyzer_id: 'analyzer-3',
      created_at: '2025-12-17T12:00:00Z',
      updated_at: '2025-12-17T12:15:23Z',
      version: 1,
      status: 'active',
    });
    expect(item.timeframes).to.have.nested.property('M.1m.M.avg_loss').that.deep.equals({ N: '-11.2' });
    expect(item.ttl).to.deep.equal({ N: '1702886400' });
  });

  it('overloads GSI2 of order management for items and for cities', () => {
    const of = { company_cnpj: '12.345.678/0001-99', order_id: 'ORD-20231001-0001' };
    const partition = 'COMPANY#12.345.678/0001-99#ORDER#ORD-20231001-0001';
    const item = buildItem(orderManagement, orderItem, {
      ...of,
      product_id: 'PRD-1001',
      description: 'Smartphone XYZ',
      quantity: 1,
      unit_price: '2500.00',
      item_status: 'AguardandoEstoque',
    });
    expect(item['GSI2-PK']).to.deep.equal({ S: 'ITEMSTATUS#AguardandoEstoque' });
    expect(item['GSI2-SK']).to.deep.equal({ S: `${partition}#ITEM#PRD-1001` });
    const shipping = buildItem(orderManagement, orderShipping, {
      ...of,
      shipping_method: 'Express',
      shipping_cost: '50.00',
      city: 'Rio de Janeiro',
      expected_delivery_date: '2023-10-03',
    });
    expect(shipping['GSI2-PK']).to.deep.equal({ S: 'CITY#Rio de Janeiro' });
    expect(shipping['GSI2-SK']).to.deep.equal({ S: `2023-10-03#${partition}` });
  });
});

describe('the catalogue', () => {
  it('has the twelve tables of the spec and the ledger', () => {
    expect(tables.map((table) => table.name)).to.have.members([
      'oms_config',
      'oms_trading_data',
      'markets',
      'orders',
      'trades',
      'positions',
      'control',
      'crypto-backtest-results',
      'crypto-trading-positions',
      'crypto-scan-history',
      'crypto-active-coins',
      'order-management',
      'tablewright-ledger',
    ]);
  });
});
