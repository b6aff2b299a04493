import { z } from 'zod';
import { choice, decimal, epochSeconds, integer, isoTime, text } from '../model/attributes.ts';
import { defineEntity } from '../model/entity.ts';
import { is } from '../model/pattern.ts';
import { defineTable, provisioned } from '../model/table.ts';
import { secondsPerDay } from '../model/time.ts';

const timeframe = z.strictObject({
  total_trades: integer(),
  win_rate: decimal(),
  total_pnl: decimal(),
  avg_win: decimal(),
  avg_loss: decimal(),
  confidence_avg: decimal(),
  best_strategy: text(),
  analysis_time: decimal(),
  status: choice('completed', 'failed', 'pending'),
});

export const result = defineEntity({
  name: 'RESULT',
  description: 'The backtest of one coin in one scan',
  attributes: {
    symbol: text(),
    scan_timestamp: epochSeconds(),
    volatility_24h: decimal(),
    turnover: decimal(),
    price: decimal(),
    price_change_24h: decimal(),
    timeframes: z.record(z.string(), timeframe),
    optimal_timeframe: text(),
    optimal_pnl: decimal(),
    optimal_win_rate: decimal(),
    btc_correlation: decimal(),
    trend_analysis: z.strictObject({ current_trend: text(), strength: decimal(), btc_trend: text() }),
    scan_id: text(),
    analyzer_id: text(),
    created_at: isoTime(),
    updated_at: isoTime(),
    version: integer(),
    // Absent from the source's sample, and yet the hash of StatusIndex: every new write carries it.
    status: choice('active', 'inactive'),
  },
  ttl: { from: 'scan_timestamp', seconds: secondsPerDay },
  references: [{ attribute: 'scan_id', entity: 'crypto-scan-history/SCAN', target: 'scan_id' }],
});

const pnl = { name: 'optimal_pnl', type: 'N' } as const;
const scanTime = { name: 'scan_timestamp', type: 'N' } as const;

export const backtestResults = defineTable({
  name: 'crypto-backtest-results',
  system: 'backtest',
  namespace: 'backtest.results',
  description: 'Backtest results of the scanned coins, kept for a day',
  hash: 'symbol',
  range: scanTime,
  indexes: {
    ScanIdIndex: { hash: 'scan_id', range: pnl },
    OptimalTimeframeIndex: { hash: 'optimal_timeframe', range: pnl },
    StatusIndex: { hash: 'status', range: scanTime },
  },
  ttl: 'ttl',
  billing: { production: provisioned(10, 20, { read: 100, write: 200 }) },
  entities: [result],
  patterns: {
    latest: {
      description: 'The latest result of a symbol',
      params: { symbol: text() },
      key: [is('symbol', '{symbol}')],
      order: 'descending',
      limit: 1,
      result: [result],
      example: { symbol: 'BTCUSDT' },
    },
    ofScan: {
      description: 'The results of a scan, most profitable first',
      params: { scanId: text() },
      index: 'ScanIdIndex',
      key: [is('scan_id', '{scanId}')],
      order: 'descending',
      result: [result],
      example: { scanId: 'scan-20251217-120000' },
    },
    bestOfTimeframe: {
      description: 'The best N coins of a timeframe, most profitable first',
      params: { timeframe: text(), n: integer().default(10) },
      index: 'OptimalTimeframeIndex',
      key: [is('optimal_timeframe', '{timeframe}')],
      order: 'descending',
      limit: 'n',
      result: [result],
      example: { timeframe: '1m', n: '10' },
    },
    active: {
      description: 'The results of the coins that are active now, oldest first',
      index: 'StatusIndex',
      key: [is('status', 'active')],
      result: [result],
      example: {},
    },
  },
});
