import { decimalText, type GeneratedRecord, type Random, spellTime } from '../../engine/author.ts';
import { backtestResults, result } from '../../tables/backtest/results.ts';
import { backtestSignals, signal } from '../../tables/backtest/trading-positions.ts';
import { timeframes } from './coins.ts';

/** Money in cents. */
export const moneyScale = 2;

export interface Scan {
  readonly id: string;
  readonly at: number;
  readonly newest: boolean;
}

export interface Coin {
  readonly symbol: string;
  /** In units of 10^-6. */
  readonly price: bigint;
}

const trends = ['UPTREND', 'SIDEWAYS', 'DOWNTREND'];
const baseTrades = [230, 100, 62, 25, 12] as const;

interface Analysis {
  readonly pnl: bigint;
  readonly winRate: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Wins and losses of one timeframe; profit is what they add up to. */
function analyse(at: number, random: Random): Analysis {
  const trades = Math.max(1, (baseTrades[at] ?? 10) + random.between(-8, 60));
  const wins = Math.floor((trades * random.between(380, 620)) / 1_000);
  const win = BigInt(random.between(300, 2_500));
  const loss = BigInt(random.between(300, 2_000));
  const pnl = BigInt(wins) * win - BigInt(trades - wins) * loss;
  const winRate = decimalText(BigInt(Math.floor((wins * 1_000) / trades)), 1);
  const record = {
    total_trades: trades,
    win_rate: winRate,
    total_pnl: decimalText(pnl, moneyScale),
    avg_win: decimalText(win, moneyScale),
    avg_loss: decimalText(-loss, moneyScale),
    confidence_avg: decimalText(BigInt(random.between(6_500, 9_500)), 2),
    best_strategy: random.pick(['ADVANCED', 'BASIC']),
    analysis_time: decimalText(BigInt(random.between(20, 170)), 1),
    status: 'completed',
  };
  return { pnl, winRate, record };
}

/** One coin of a scan in its five timeframes, and which of them earned most. */
export function resultRecord(coin: Coin, scan: Scan, random: Random): GeneratedRecord {
  const analyses = timeframes.map((_, at) => analyse(at, random));
  const best = analyses.reduce((top, one, at) => (one.pnl > (analyses[top]?.pnl ?? one.pnl) ? at : top), 0);
  const time = spellTime(scan.at, 'iso');
  return {
    table: backtestResults,
    entity: result,
    record: {
      symbol: coin.symbol,
      scan_timestamp: scan.at,
      volatility_24h: decimalText(BigInt(random.between(100, 2_000)), 2),
      turnover: decimalText(BigInt(random.between(1_000_000, 4_000_000_000)) * 137n, moneyScale),
      price: decimalText(coin.price, 6),
      price_change_24h: decimalText(BigInt(random.between(-900, 900)), 2),
      timeframes: Object.fromEntries(timeframes.map((timeframe, at) => [timeframe, analyses[at]?.record])),
      optimal_timeframe: timeframes[best],
      optimal_pnl: decimalText(analyses[best]?.pnl ?? 0n, moneyScale),
      optimal_win_rate: analyses[best]?.winRate,
      btc_correlation: decimalText(BigInt(random.between(-20, 99)), 2),
      trend_analysis: {
        current_trend: random.pick(trends),
        strength: decimalText(BigInt(random.between(0, 1_000)), 1),
        btc_trend: random.pick(trends),
      },
      scan_id: scan.id,
      analyzer_id: `analyzer-${random.between(1, 8)}`,
      created_at: time,
      updated_at: time,
      version: 1,
      status: scan.newest ? 'active' : 'inactive',
    },
  };
}

/** A signal to enter a coin: stop one percent away, target two, on the side of its type. */
export function signalRecord(coin: Coin, scan: Scan, at: number, random: Random): GeneratedRecord {
  const long = random.chance(550);
  const percent = (units: bigint) => decimalText((coin.price * 100n * (100n + units)) / 100n, 8);
  const profit = BigInt(random.between(500, 2_500));
  const time = spellTime(at, 'iso');
  return {
    table: backtestSignals,
    entity: signal,
    record: {
      symbol: coin.symbol,
      signal_timestamp: at,
      strategy: random.pick(['ADVANCED', 'BASIC']),
      timeframe: random.pick(timeframes),
      confidence: decimalText(BigInt(random.between(5_000, 9_900)), 2),
      position_type: long ? 'LONG' : 'SHORT',
      entry_price: percent(0n),
      stop_loss: percent(long ? -1n : 1n),
      take_profit: percent(long ? 2n : -2n),
      position_size: random.pick(['25', '50', '100', '250']),
      leverage: random.pick([3, 5, 10, 20]),
      rsi: decimalText(BigInt(random.between(100, 900)), 1),
      bb_position: decimalText(BigInt(random.between(0, 100)), 2),
      bb_width: decimalText(BigInt(random.between(5, 80)), 1),
      btc_trend: random.pick(trends),
      btc_change: decimalText(BigInt(random.between(-400, 400)), 2),
      coin_trend: random.pick(trends),
      coin_change: decimalText(BigInt(random.between(-900, 900)), 2),
      funding_rate: decimalText(BigInt(random.between(-40, 60)), 5),
      funding_sentiment: random.pick(['NEUTRAL', 'BULLISH', 'BEARISH']),
      fib_support: percent(-3n),
      fib_resistance: percent(3n),
      fib_distance: decimalText(BigInt(random.between(2, 60)), 1),
      expected_profit: decimalText(profit, moneyScale),
      expected_loss: decimalText(-profit / 2n, moneyScale),
      risk_reward_ratio: '2',
      signal_id: `signal-${scan.id.slice(5)}-${coin.symbol}-${at}`,
      scan_id: scan.id,
      created_at: time,
      updated_at: time,
      status: random.chance(700) ? 'active' : random.pick(['executing', 'executed', 'expired', 'failed']),
      version: 1,
    },
  };
}
