import type { scan } from '../../tables/backtest/scan-history.ts';
import type { InputOf } from '../../tables/model/entity.ts';
import { selectedCoins } from './coins.ts';

const scans: readonly InputOf<typeof scan>[] = [
  {
    scan_id: 'scan-20251217-120000',
    scan_timestamp: 'now-20m',
    total_coins_scanned: 552,
    selected_coins: [...selectedCoins],
    removed_coins: ['OLDCOINUSDT', 'DEADCOINUSDT'],
    analysis_status: { total: 30, completed: 28, failed: 2, pending: 0 },
    performance: {
      scan_duration: '5.2',
      total_analysis_time: '450.3',
      avg_analysis_time: '15.01',
      messages_published: 150,
    },
    scanner_id: 'scanner-1',
    created_at: 'now-20m',
    completed_at: 'now-5m',
    status: 'completed',
  },
  {
    scan_id: 'scan-20251217-110000',
    scan_timestamp: 'now-80m',
    total_coins_scanned: 549,
    selected_coins: [...selectedCoins.slice(0, 28), 'OLDCOINUSDT', 'DEADCOINUSDT'],
    removed_coins: [],
    analysis_status: { total: 30, completed: 30, failed: 0, pending: 0 },
    performance: {
      scan_duration: '5.6',
      total_analysis_time: '438.9',
      avg_analysis_time: '14.63',
      messages_published: 150,
    },
    scanner_id: 'scanner-1',
    created_at: 'now-80m',
    completed_at: 'now-66m',
    status: 'completed',
  },
  {
    scan_id: 'scan-20251217-130000',
    scan_timestamp: 'now-1m',
    total_coins_scanned: 554,
    selected_coins: [],
    removed_coins: [],
    analysis_status: { total: 0, completed: 0, failed: 0, pending: 0 },
    performance: { scan_duration: '0', total_analysis_time: '0', avg_analysis_time: '0', messages_published: 0 },
    scanner_id: 'scanner-2',
    created_at: 'now-1m',
    status: 'running',
  },
];

export default scans;
