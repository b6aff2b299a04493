import { epochSeconds, flag, integer, text } from '../model/attributes.ts';
import { equals } from '../model/condition.ts';
import { defineEntity } from '../model/entity.ts';
import { is } from '../model/pattern.ts';
import { defineTable, provisioned } from '../model/table.ts';
import { secondsPerHour } from '../model/time.ts';

/** A coin that no scan selects for this long is gone by itself. */
export const activeCoinSeconds = secondsPerHour;

export const coin = defineEntity({
  name: 'COIN',
  description: 'Whether a coin is active, and since how many scans',
  attributes: {
    symbol: text(),
    is_active: flag(),
    last_scan_id: text(),
    last_updated: epochSeconds(),
    consecutive_scans: integer(),
  },
  ttl: { from: 'last_updated', seconds: activeCoinSeconds },
  keeper: { by: ['backtest.replaceScanCoins'] },
});

export const activeCoins = defineTable({
  name: 'crypto-active-coins',
  system: 'backtest',
  namespace: 'backtest.coins',
  description: 'The coins that are active now, kept for an hour after the last scan that chose them',
  hash: 'symbol',
  ttl: 'ttl',
  billing: { production: provisioned(5, 5, { read: 50, write: 50 }) },
  entities: [coin],
  patterns: {
    isActive: {
      description: 'Is a coin active?',
      params: { symbol: text() },
      key: [is('symbol', '{symbol}')],
      filter: equals('is_active', { BOOL: true }),
      answer: 'exists',
      result: [coin],
      example: { symbol: 'BTCUSDT' },
    },
  },
});
