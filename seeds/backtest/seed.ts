import { defineSeed, file } from '../../engine/author.ts';
import { activeCoins, coin } from '../../tables/backtest/active-coins.ts';
import { backtestResults, result } from '../../tables/backtest/results.ts';
import { scan, scanHistory } from '../../tables/backtest/scan-history.ts';
import { backtestSignals, signal } from '../../tables/backtest/trading-positions.ts';
import { backtestVolume } from './volume.ts';

export default defineSeed({
  description: 'The coin scanner: scans, results by timeframe, live signals, active coins',
  system: 'backtest',
  stacks: ['local', 'dev'],
  fixtures: [
    file(scanHistory, scan, 'scans.ts'),
    file(backtestResults, result, 'results.ts'),
    file(backtestSignals, signal, 'signals.json'),
    file(activeCoins, coin, 'active-coins.csv'),
  ],
  volume: backtestVolume,
});
