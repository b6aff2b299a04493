import type { result } from '../../tables/backtest/results.ts';
import type { InputOf } from '../../tables/model/entity.ts';
import { timeframes } from './coins.ts';

type Result = InputOf<typeof result>;

/** trades, win rate, pnl, average win, average loss, confidence, strategy, seconds of analysis */
type Line = readonly [number, string, string, string, string, string, string, string];

interface Row {
  readonly symbol: string;
  readonly volatility: string;
  readonly turnover: string;
  readonly price: string;
  readonly change: string;
  readonly correlation: string;
  readonly trend: readonly [trend: string, strength: string];
  readonly best: (typeof timeframes)[number];
  readonly lines: readonly [Line, Line, Line, Line, Line];
}

/** The first row is the source's sample; its last three timeframes, which the source leaves out, are ours. */
const rows: readonly Row[] = [
  {
    symbol: 'BTCUSDT',
    volatility: '5.23',
    turnover: '6858457877.50',
    price: '86623.60',
    change: '0.91',
    correlation: '0.85',
    trend: ['UPTREND', '75.3'],
    best: '1m',
    lines: [
      [234, '56.4', '679.20', '18.40', '-11.20', '82.5', 'ADVANCED', '15.3'],
      [98, '42.1', '-123.40', '16.20', '-10.80', '78.2', 'BASIC', '8.7'],
      [61, '47.5', '88.15', '17.05', '-12.60', '76.9', 'BASIC', '6.1'],
      [24, '50', '41.70', '21.30', '-17.90', '74.4', 'ADVANCED', '4.8'],
      [11, '54.5', '36.05', '24.10', '-21.75', '71.8', 'ADVANCED', '3.9'],
    ],
  },
  {
    symbol: 'ETHUSDT',
    volatility: '6.41',
    turnover: '3120554102.77',
    price: '3121.08',
    change: '1.38',
    correlation: '0.93',
    trend: ['UPTREND', '68.1'],
    best: '1m',
    lines: [
      [251, '53.8', '512.75', '14.90', '-12.05', '80.6', 'ADVANCED', '14.8'],
      [104, '49', '143.20', '15.75', '-12.40', '77.7', 'ADVANCED', '9.2'],
      [66, '45.5', '-22.95', '15.10', '-13.20', '75', 'BASIC', '6.4'],
      [27, '51.9', '63.85', '18.20', '-14.35', '73.1', 'ADVANCED', '5'],
      [12, '41.7', '-30.40', '17.60', '-16.90', '70.2', 'BASIC', '4.1'],
    ],
  },
  {
    symbol: 'SOLUSDT',
    volatility: '9.87',
    turnover: '1480332915.06',
    price: '141.27',
    change: '-2.04',
    correlation: '0.78',
    trend: ['DOWNTREND', '61.7'],
    best: '5m',
    lines: [
      [268, '46.6', '-204.10', '9.15', '-9.40', '74.8', 'BASIC', '15.9'],
      [117, '50.4', '118.60', '10.30', '-8.45', '76.3', 'ADVANCED', '9.6'],
      [71, '57.7', '341.95', '13.80', '-7.35', '79.9', 'ADVANCED', '6.8'],
      [29, '48.3', '12.05', '12.10', '-10.50', '72.4', 'BASIC', '5.2'],
      [13, '46.2', '-8.80', '13.40', '-12.75', '70', 'BASIC', '4.2'],
    ],
  },
  {
    symbol: 'XRPUSDT',
    volatility: '7.02',
    turnover: '905117440.31',
    price: '2.1046',
    change: '0.27',
    correlation: '0.71',
    trend: ['SIDEWAYS', '33.5'],
    best: '15m',
    lines: [
      [222, '44.1', '-310.85', '6.70', '-7.80', '71.5', 'BASIC', '14.1'],
      [95, '46.3', '-61.40', '7.15', '-7.55', '72.2', 'BASIC', '8.3'],
      [58, '50', '20.30', '7.90', '-7.10', '73.6', 'ADVANCED', '6'],
      [22, '63.6', '97.45', '10.85', '-6.40', '78.8', 'ADVANCED', '4.6'],
      [10, '50', '9.95', '9.60', '-7.60', '71.1', 'BASIC', '3.7'],
    ],
  },
  {
    symbol: 'DOGEUSDT',
    volatility: '11.35',
    turnover: '640288107.9',
    price: '0.14072',
    change: '-4.61',
    correlation: '0.66',
    trend: ['DOWNTREND', '70.9'],
    best: '1m',
    lines: [
      [301, '55.1', '455.55', '8.80', '-7.45', '79.3', 'ADVANCED', '16.4'],
      [126, '51.6', '190.25', '9.05', '-6.85', '77', 'ADVANCED', '9.9'],
      [77, '44.2', '-97.20', '8.40', '-8.95', '72.9', 'BASIC', '7'],
      [31, '45.2', '-18.60', '9.70', '-9.35', '71.7', 'BASIC', '5.4'],
      [14, '57.1', '40.15', '12.25', '-8.90', '74.5', 'ADVANCED', '4.3'],
    ],
  },
];

/** 38 digits, as a price feed with a per-token quotation gives them. */
const manyDigits: Row = {
  symbol: 'PEPEUSDT',
  volatility: '14.2',
  turnover: '188340221.45000000000000000000000000001',
  price: '0.0000047312345678901234567890123456789012345',
  change: '6.8',
  correlation: '0.52',
  trend: ['UPTREND', '58'],
  best: '30m',
  lines: [
    [312, '43.9', '-288.40', '3.05', '-3.30', '70.4', 'BASIC', '16.8'],
    [131, '47.3', '-40.15', '3.40', '-3.25', '71.6', 'BASIC', '10.1'],
    [80, '50', '15.80', '3.85', '-3.45', '73', 'ADVANCED', '7.1'],
    [32, '53.1', '28.90', '5.10', '-3.80', '75.2', 'ADVANCED', '5.5'],
    [15, '60', '52.35', '8.95', '-4.70', '77.4', 'ADVANCED', '4.4'],
  ],
};

function record(row: Row, scan: { readonly id: string; readonly at: string; readonly status: 'active' | 'inactive' }): Result {
  const lines = timeframes.map((timeframe, at) => [timeframe, row.lines[at] as Line] as const);
  const best = lines.find(([timeframe]) => timeframe === row.best)?.[1] as Line;
  return {
    symbol: row.symbol,
    // A Unix time in the store; counted from now, because a result lives for a day.
    scan_timestamp: scan.at,
    volatility_24h: row.volatility,
    turnover: row.turnover,
    price: row.price,
    price_change_24h: row.change,
    timeframes: Object.fromEntries(lines.map(([timeframe, line]) => [timeframe, analysis(line)])),
    optimal_timeframe: row.best,
    optimal_pnl: best[2],
    optimal_win_rate: best[1],
    btc_correlation: row.correlation,
    trend_analysis: { current_trend: row.trend[0], strength: row.trend[1], btc_trend: 'SIDEWAYS' },
    scan_id: scan.id,
    analyzer_id: 'analyzer-3',
    created_at: scan.at,
    updated_at: scan.at,
    version: 1,
    status: scan.status,
  };
}

function analysis([total_trades, win_rate, total_pnl, avg_win, avg_loss, confidence_avg, best_strategy, analysis_time]: Line) {
  const status = 'completed' as const;
  return { total_trades, win_rate, total_pnl, avg_win, avg_loss, confidence_avg, best_strategy, analysis_time, status };
}

const newest = { id: 'scan-20251217-120000', at: 'now-20m', status: 'active' } as const;
const before = { id: 'scan-20251217-110000', at: 'now-80m', status: 'inactive' } as const;

export default [
  ...[...rows, manyDigits].map((row) => record(row, newest)),
  ...rows.slice(0, 2).map((row) => record(row, before)),
];
