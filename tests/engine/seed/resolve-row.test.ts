import { expect } from 'chai';
import fc from 'fast-check';
import { type DeclaredRecord, ExactNumber } from '../../../engine/core/seed/declared-record.ts';
import { resolveRow } from '../../../engine/core/seed/resolve-row.ts';
import { resolveValues } from '../../../engine/core/seed/resolve-values.ts';
import { backtestResults, result } from '../../../tables/backtest/results.ts';
import { control, lock } from '../../../tables/markets/control.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { tryBuildItem } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { client, omsConfig } from '../../../tables/oms/config.ts';
import { omsTradingData, order } from '../../../tables/oms/trading-data.ts';

/** What rows of files hold: what fits one attribute and not another, in every spelling that a file has. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>('a', 'b#c', '', '1.50', '-1', '1e3', 'BUY', 'NEW', 'LOST', 'active', 'true', 'UP', '1m'),
  fc.constantFrom<unknown>('now', 'now-2h', 'nowhere', 'now-2x', '14/11/2025 10:30:00', '2025-11-14T10:30:00Z', '1763000000'),
  fc.constantFrom<unknown>(true, false, null, undefined, [], ['a'], {}, { current_trend: 'UP', strength: '1', btc_trend: 'UP' }),
  fc.constantFrom('1', '1.5', '-0', '1763000000').map((text) => new ExactNumber(text)),
  fc.string(),
);

const kinds: readonly (readonly [Table, Entity])[] = [
  [omsConfig as Table, client],
  [omsTradingData as Table, order],
  [control as Table, lock],
  [backtestResults as Table, result],
];
const place = { file: 'f', line: () => 1, number: 1 };

describe('a row of a fixture', () => {
  it('is what its whole schema makes of it, whatever it holds and however often its values came before', () => {
    const row = fc.constantFrom(...kinds).chain(([table, entity]) =>
      fc.record({
        table: fc.constant(table),
        entity: fc.constant(entity),
        textual: fc.boolean(),
        anchor: fc.constantFrom(1_763_000_000, 1_000_000_000),
        values: fc.dictionary(fc.constantFrom(...Object.keys(entity.schema.shape), 'other', '__proto__'), anything),
      }),
    );
    let right = 0;
    fc.assert(
      fc.property(row, fc.boolean(), ({ table, entity, textual, anchor, values }, whole) => {
        const given = whole ? { ...samples.get(entity), ...values } : values;
        const declared: DeclaredRecord = { place, table, entity, values: given, textual };
        const resolved = resolveValues(entity.schema, given, { anchor, textual });
        const built = resolved.problems.length > 0 ? undefined : tryBuildItem(table, entity, resolved.value);
        const found = resolveRow(declared, anchor);
        if (built === undefined || 'problems' in built) expect(found).to.have.property('problems').that.is.not.empty;
        else {
          right += 1;
          expect(found).to.have.property('row').that.deep.includes({ item: built.item, relative: resolved.relative });
        }
      }),
      { numRuns: 3_000 },
    );
    expect(right).to.be.greaterThan(100);
  });
});

const samples: ReadonlyMap<Entity, Readonly<Record<string, unknown>>> = new Map<Entity, Readonly<Record<string, unknown>>>([
  [client, { client_id: 'c', name: 'n', status: 'ACTIVE' }],
  [
    order,
    {
      order_id: 'o',
      client_id: 'c',
      product_id: 'p',
      symbol: 'S',
      side: 'BUY',
      quantity: '1.50',
      status: 'NEW',
      order_type: 'LIMIT',
      created_at: 'now-2d',
      updated_at: '14/11/2025 10:30:00',
    },
  ],
  [lock, { lockedBy: 'a', ttl: 'now+1h' }],
  [
    result,
    {
      symbol: 'S',
      scan_timestamp: 'now',
      volatility_24h: new ExactNumber('1.0'),
      turnover: '1',
      price: '1',
      price_change_24h: '1',
      timeframes: {},
      optimal_timeframe: '1m',
      optimal_pnl: '1',
      optimal_win_rate: '1',
      btc_correlation: '1',
      trend_analysis: { current_trend: 'UP', strength: new ExactNumber('1.10'), btc_trend: 'UP' },
      scan_id: 's',
      analyzer_id: 'a',
      created_at: 'now',
      updated_at: 'now',
      version: new ExactNumber('1'),
      status: 'active',
    },
  ],
]);
