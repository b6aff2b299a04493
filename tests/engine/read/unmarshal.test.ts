import { expect } from 'chai';
import fc from 'fast-check';
import { scan, scanHistory } from '../../../tables/backtest/scan-history.ts';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { canonicalDecimal } from '../../../tables/model/decimal.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { tryReadRecord } from '../../../tables/model/unmarshal.ts';
import { omsTradingData, order } from '../../../tables/oms/trading-data.ts';

const digits = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 38n - 1n }), fc.nat(37))
  .map(([negative, number, places]) => {
    const text = String(number).padStart(places + 1, '0');
    return `${negative ? '-' : ''}${text.slice(0, text.length - places)}.${text.slice(text.length - places)}0`.replace(
      /\.0$/,
      '',
    );
  });

const positiveDigits = digits.map((text) => text.replace('-', '')).filter((text) => /[1-9]/.test(text));

describe('reading stored items as records', () => {
  it('gives back what was stored: decimals digit by digit as texts', () => {
    fc.assert(
      fc.property(digits, positiveDigits, fc.constantFrom('Buy', 'Sell'), (price, size, side) => {
        const given = {
          id: 'o',
          marketId: 'm',
          side,
          price,
          size,
          remaining: '0',
          status: 'Open',
          owner: 'w',
          createdAt: '2025-10-14T10:00:00Z',
        } as const;
        const read = tryReadRecord(marketOrder, buildItem(marketOrders, marketOrder, given));
        expect(read).to.deep.equal({ record: { ...given, price: canonicalDecimal(price), size: canonicalDecimal(size) } });
      }),
    );
  });

  it('takes what was stored before a rule for writers: a status that is not listed, a quantity below zero', () => {
    const stored = {
      ...buildItem(omsTradingData, order, {
        order_id: 'o',
        client_id: 'c',
        product_id: 'p',
        symbol: 'BTCBRL',
        side: 'BUY',
        quantity: '1',
        status: 'NEW',
        order_type: 'LIMIT',
        created_at: '14/11/2025 10:30:00',
        updated_at: '14/11/2025 10:30:00',
      }),
      status: { S: 'SUSPENDED' },
      quantity: { N: '-1' },
    };
    expect(tryReadRecord(order, stored)).to.have.property('record').that.includes({ status: 'SUSPENDED', quantity: '-1' });
  });

  it('reads nested values by their schemas: whole numbers as numbers, decimals as texts', () => {
    const given = {
      scan_id: 's',
      scan_timestamp: 1_765_972_800,
      total_coins_scanned: 540,
      selected_coins: ['A', 'B'],
      removed_coins: [],
      analysis_status: { total: 2, completed: 2, failed: 0, pending: 0 },
      performance: { scan_duration: '5.4', total_analysis_time: '30.2', avg_analysis_time: '15.1', messages_published: 10 },
      scanner_id: 'x',
      created_at: '2025-10-14T10:00:00Z',
      status: 'completed',
    } as const;
    expect(
      tryReadRecord(scan, buildItem(scanHistory, scan, { ...given, selected_coins: ['A', 'B'], removed_coins: [] })),
    ).to.deep.equal({
      record: given,
    });
  });

  it('leaves out what the schema does not name and says what is wrong without the values', () => {
    const item = { id: { S: 'o' }, secret: { S: 'never shown' }, price: { S: 'twelve' }, size: { N: '1' } };
    const read = tryReadRecord(marketOrder, item);
    expect('problems' in read ? read.problems : []).to.include.members([
      'price: not of the form that the schema asks for',
      'marketId: missing',
    ]);
    expect(JSON.stringify(read)).not.to.match(/never shown|twelve|secret/);
  });
});
