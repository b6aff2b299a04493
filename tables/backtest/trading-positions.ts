import { choice, decimal, epochSeconds, integer, isoTime, text } from '../model/attributes.ts';
import { defineEntity } from '../model/entity.ts';
import { from, is } from '../model/pattern.ts';
import { defineTable, provisioned } from '../model/table.ts';
import { secondsPerMinute } from '../model/time.ts';

export const signal = defineEntity({
  name: 'SIGNAL',
  description: 'A live signal to enter a position',
  attributes: {
    symbol: text(),
    signal_timestamp: epochSeconds(),
    strategy: text(),
    timeframe: text(),
    confidence: decimal(),
    position_type: choice('LONG', 'SHORT'),
    entry_price: decimal(),
    stop_loss: decimal(),
    take_profit: decimal(),
    position_size: decimal(),
    leverage: integer(),
    rsi: decimal(),
    bb_position: decimal(),
    bb_width: decimal(),
    btc_trend: text(),
    btc_change: decimal(),
    coin_trend: text(),
    coin_change: decimal(),
    funding_rate: decimal(),
    funding_sentiment: text(),
    fib_support: decimal(),
    fib_resistance: decimal(),
    fib_distance: decimal(),
    expected_profit: decimal(),
    expected_loss: decimal(),
    risk_reward_ratio: decimal(),
    signal_id: text(),
    scan_id: text(),
    created_at: isoTime(),
    updated_at: isoTime(),
    status: choice('active', 'executing', 'executed', 'expired', 'failed'),
    version: integer(),
    order_id: text().optional(),
    executed_at: isoTime().optional(),
    executed_price: decimal().optional(),
  },
  ttl: { from: 'signal_timestamp', seconds: 5 * secondsPerMinute },
  references: [{ attribute: 'scan_id', entity: 'crypto-scan-history/SCAN', target: 'scan_id' }],
});

export const backtestSignals = defineTable({
  name: 'crypto-trading-positions',
  system: 'backtest',
  namespace: 'backtest.signals',
  description: 'Live entry signals, kept for five minutes',
  hash: 'symbol',
  range: { name: 'signal_timestamp', type: 'N' },
  indexes: {
    StatusIndex: { hash: 'status', range: { name: 'signal_timestamp', type: 'N' } },
    ConfidenceIndex: { hash: 'status', range: { name: 'confidence', type: 'N' } },
  },
  ttl: 'ttl',
  billing: { production: provisioned(10, 20, { read: 100, write: 200 }) },
  entities: [signal],
  patterns: {
    active: {
      description: 'The active signals, newest first',
      index: 'StatusIndex',
      key: [is('status', 'active')],
      order: 'descending',
      result: [signal],
      example: {},
    },
    byConfidence: {
      description: 'The active signals at or above a confidence, best first',
      params: { minimum: decimal().default('0') },
      index: 'ConfidenceIndex',
      key: [is('status', 'active'), from('confidence', '{minimum}')],
      order: 'descending',
      result: [signal],
      example: { minimum: '80' },
    },
  },
});
