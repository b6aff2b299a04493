import { expect } from 'chai';
import { runOperation } from '../../../engine/run/write/run-operation.ts';
import { activeCoins, coin } from '../../../tables/backtest/active-coins.ts';
import { backtestResults, result } from '../../../tables/backtest/results.ts';
import { scan, scanHistory } from '../../../tables/backtest/scan-history.ts';
import { backtestSignals, signal } from '../../../tables/backtest/trading-positions.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import type { InputOf } from '../../../tables/model/entity.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { replaceScanCoins } from '../../../tables/operations.ts';
import { contentOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';

const start = 1_900_000_000;

function resultOf(
  symbol: string,
  scan_timestamp: number,
  optimal_pnl: string,
  more: Partial<InputOf<typeof result>> = {},
): InputOf<typeof result> {
  return {
    symbol,
    scan_timestamp,
    optimal_pnl,
    volatility_24h: '5.23',
    turnover: '6858457877.5',
    price: '86623.6',
    price_change_24h: '0.91',
    timeframes: {},
    optimal_timeframe: '1m',
    optimal_win_rate: '56.4',
    btc_correlation: '0.85',
    trend_analysis: { current_trend: 'UPTREND', strength: '75.3', btc_trend: 'SIDEWAYS' },
    scan_id: 'scan-1',
    analyzer_id: 'a',
    created_at: '2025-12-17T12:00:00Z',
    updated_at: '2025-12-17T12:00:00Z',
    version: 1,
    status: 'active',
    ...more,
  };
}

function signalOf(
  symbol: string,
  signal_timestamp: number,
  confidence: string,
  status: 'active' | 'executed' = 'active',
): InputOf<typeof signal> {
  return {
    symbol,
    signal_timestamp,
    confidence,
    status,
    strategy: 'ADVANCED',
    timeframe: '1m',
    position_type: 'LONG',
    entry_price: '1',
    stop_loss: '1',
    take_profit: '1',
    position_size: '100',
    leverage: 10,
    rsi: '42.5',
    bb_position: '0.25',
    bb_width: '2.3',
    btc_trend: 'UPTREND',
    btc_change: '0.91',
    coin_trend: 'UPTREND',
    coin_change: '1.52',
    funding_rate: '0.0001',
    funding_sentiment: 'NEUTRAL',
    fib_support: '1',
    fib_resistance: '2',
    fib_distance: '2.5',
    expected_profit: '18.4',
    expected_loss: '-11.2',
    risk_reward_ratio: '1.64',
    signal_id: `signal-${symbol}`,
    scan_id: 'scan-1',
    created_at: '2025-12-17T12:00:00Z',
    updated_at: '2025-12-17T12:00:05Z',
    version: 1,
  };
}

const scanned: InputOf<typeof scan> = {
  scan_id: 'scan-1',
  scan_timestamp: start,
  total_coins_scanned: 552,
  selected_coins: ['BTCUSDT'],
  removed_coins: [],
  analysis_status: { total: 30, completed: 28, failed: 2, pending: 0 },
  performance: { scan_duration: '5.2', total_analysis_time: '450.3', avg_analysis_time: '15.01', messages_published: 150 },
  scanner_id: 'scanner-1',
  created_at: '2025-12-17T12:00:00Z',
  status: 'completed',
};

describe('backtest patterns', () => {
  const engine = useEngine([backtestResults, backtestSignals, scanHistory, activeCoins]);
  const symbols = async (pattern: Parameters<ReturnType<typeof engine>['read']>[0], params: Readonly<Record<string, unknown>>) =>
    (await engine().read(pattern, params)).map((item) => item.symbol);

  before(async () => {
    const { put } = engine();
    await put(backtestResults, result, [
      resultOf('BTCUSDT', start, '679.2'),
      resultOf('BTCUSDT', start + 3_600, '-12', { scan_id: 'scan-2' }),
      resultOf('ETHUSDT', start, '1000'),
      resultOf('ADAUSDT', start, '99', { status: 'inactive' }),
      resultOf('SOLUSDT', start, '-3', { optimal_timeframe: '5m' }),
    ]);
    await put(backtestSignals, signal, [
      signalOf('A', start, '85.5'),
      signalOf('B', start + 1, '9'),
      signalOf('C', start + 2, '80'),
      signalOf('D', start, '99', 'executed'),
    ]);
    await put(scanHistory, scan, [scanned]);
    await put(activeCoins, coin, [
      { symbol: 'BTCUSDT', is_active: true, last_scan_id: 'scan-1', last_updated: start, consecutive_scans: 5 },
      { symbol: 'OLDUSDT', is_active: false, last_scan_id: 'scan-0', last_updated: start, consecutive_scans: 0 },
    ]);
  });

  it('the latest result of a symbol is the newest one only', async () => {
    const found = await engine().read(backtestResults.patterns.latest, { symbol: 'BTCUSDT' });
    expect(found.map((item) => item.scan_timestamp)).to.deep.equal([String(start + 3_600)]);
  });

  it('results of a scan come most profitable first, by number', async () => {
    expect(await symbols(backtestResults.patterns.ofScan, { scanId: 'scan-1' })).to.deep.equal([
      'ETHUSDT',
      'BTCUSDT',
      'ADAUSDT',
      'SOLUSDT',
    ]);
  });

  it('the best coins of a timeframe are cut at N', async () => {
    expect(await symbols(backtestResults.patterns.bestOfTimeframe, { timeframe: '1m', n: 2 })).to.deep.equal([
      'ETHUSDT',
      'BTCUSDT',
    ]);
  });

  it('active results leave inactive ones out', async () => {
    expect(await symbols(backtestResults.patterns.active, {})).to.have.members(['BTCUSDT', 'BTCUSDT', 'ETHUSDT', 'SOLUSDT']);
  });

  it('signals come newest first, and by confidence at or above a minimum', async () => {
    expect(await symbols(backtestSignals.patterns.active, {})).to.deep.equal(['C', 'B', 'A']);
    expect(await symbols(backtestSignals.patterns.byConfidence, { minimum: '80' })).to.deep.equal(['A', 'C']);
    expect(await symbols(backtestSignals.patterns.byConfidence, { minimum: '80.00000000000000000001' })).to.deep.equal(['A']);
    expect(await symbols(backtestSignals.patterns.byConfidence, {})).to.deep.equal(['A', 'C', 'B']);
  });

  it('a scan is found by its id, and a coin is active only when its row says so', async () => {
    expect(await engine().read(scanHistory.patterns.byId, { scanId: 'scan-1' })).to.have.length(1);
    expect(await engine().read(activeCoins.patterns.isActive, { symbol: 'BTCUSDT' })).to.have.length(1);
    expect(await engine().read(activeCoins.patterns.isActive, { symbol: 'OLDUSDT' })).to.have.length(0);
    expect(await engine().read(activeCoins.patterns.isActive, { symbol: 'NEWUSDT' })).to.have.length(0);
  });
});

for (const dropped of ['deactivate', 'delete'] as const) {
  describe(`replacing a scan's coins, dropped ones to ${dropped}`, () => {
    const engine = useEngine([backtestResults, scanHistory, activeCoins]);
    const next = { scanId: 'scan-9', scanTimestamp: start + 7_200, selected: ['ETHUSDT', 'NEWUSDT'], dropped };

    before(async () => {
      await engine().put(backtestResults, result, [
        resultOf('BTCUSDT', start, '1'),
        resultOf('BTCUSDT', start + 60, '2'),
        resultOf('ETHUSDT', start, '3'),
        resultOf('FUTUSDT', start + 9_000, '4'),
      ]);
      await engine().put(activeCoins, coin, [
        { symbol: 'BTCUSDT', is_active: true, last_scan_id: 'scan-1', last_updated: start, consecutive_scans: 5 },
        { symbol: 'ETHUSDT', is_active: true, last_scan_id: 'scan-1', last_updated: start, consecutive_scans: 5 },
      ]);
    });

    it('takes the dropped coins out of the active results and the rows, and leaves a newer scan alone', async () => {
      expect(await engine().run(replaceScanCoins, next)).to.deep.equal({ outcome: 'applied', transactions: 3, refusals: [] });
      const active = await engine().read(backtestResults.patterns.active, {});
      expect(active.map((item) => item.symbol)).to.deep.equal(['ETHUSDT', 'FUTUSDT']);
      const kept = await engine().read(backtestResults.patterns.latest, { symbol: 'BTCUSDT' });
      expect(kept.map((item) => item.status)).to.deep.equal(dropped === 'delete' ? [] : ['inactive']);
      expect(await engine().read(activeCoins.patterns.isActive, { symbol: 'BTCUSDT' })).to.deep.equal([]);
      const [eth] = await engine().read(activeCoins.patterns.isActive, { symbol: 'ETHUSDT' });
      expect(eth).to.include({ consecutive_scans: '6', last_scan_id: 'scan-9', ttl: String(start + 7_200 + 3_600) });
      const [fresh] = await engine().read(activeCoins.patterns.isActive, { symbol: 'NEWUSDT' });
      expect(fresh).to.include({ consecutive_scans: '1', is_active: true });
    });

    it('counts a scan once, however often it is replayed', async () => {
      expect(await engine().run(replaceScanCoins, next)).to.deep.equal({
        outcome: 'applied',
        transactions: 0,
        refusals: ['newer-scan', 'newer-scan'],
      });
      const [eth] = await engine().read(activeCoins.patterns.isActive, { symbol: 'ETHUSDT' });
      expect(eth).to.include({ consecutive_scans: '6' });
    });

    it('drops a coin also when one of its results goes while it is dropped, and counts the others once', async () => {
      const [early, late] = [resultOf('LATEUSDT', start + 10, '1'), resultOf('LATEUSDT', start + 20, '2')];
      await engine().put(backtestResults, result, [early, late]);
      const { environment } = engine();
      let isOver = false;
      const transact: typeof environment.store.transact = async (request, signal) => {
        const isFirst = !isOver;
        isOver = true;
        if (isFirst) await environment.store.transact({ TransactItems: [{ Delete: { TableName, Key } }] });
        return environment.store.transact(request, signal);
      };
      const TableName = physicalName(backtestResults, engine().config);
      const Key = { symbol: { S: 'LATEUSDT' }, scan_timestamp: { N: String(start + 10) } };
      const scan = { ...next, scanId: 'scan-10', scanTimestamp: start + 7_300, selected: ['ETHUSDT'] };
      const outcome = await runOperation({ ...environment, store: { ...environment.store, transact } }, replaceScanCoins, scan, {
        token: `scan-10-${dropped}`,
      });
      expect(outcome).to.deep.equal({ outcome: 'applied', transactions: 2, refusals: [] });
      const active = await engine().read(backtestResults.patterns.active, {});
      expect(active.map((item) => item.symbol)).to.deep.equal(['ETHUSDT', 'FUTUSDT']);
      const kept = await engine().read(backtestResults.patterns.latest, { symbol: 'LATEUSDT' });
      expect(kept.map((item) => item.status)).to.deep.equal(dropped === 'delete' ? [] : ['inactive']);
      const rows = Object.values(await contentOf(engine(), activeCoins)) as Item[];
      const row = rows.find(({ symbol }) => scalarText(symbol) === 'LATEUSDT');
      expect(row).to.deep.include({ is_active: { BOOL: false }, last_scan_id: { S: 'scan-10' } });
      const [eth] = await engine().read(activeCoins.patterns.isActive, { symbol: 'ETHUSDT' });
      expect(eth).to.include({ consecutive_scans: '7', last_scan_id: 'scan-10' });
    });
  });
}
