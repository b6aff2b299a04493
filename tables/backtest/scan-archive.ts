import { defineArchive } from '../model/archive.ts';
import { scalarText } from '../model/attribute-value.ts';
import { backtestResults } from './results.ts';
import { scanHistory } from './scan-history.ts';
import { mergeGroups, scanStatistics } from './scan-statistics.ts';

/** The figures of backtest scans: results live for a day, their scans for seven. */
export const scanArchive = defineArchive({
  name: 'backtest',
  subject: 'scan',
  subjects: { table: scanHistory, id: 'scan_id' },
  records: { pattern: backtestResults.patterns.ofScan, parameter: 'scanId' },
  isRunning: (scan) => scalarText(scan.status) === 'running',
  summarise: (id, scan, results) => {
    const { scan: line, symbols, timeframes } = scanStatistics(id, scan, results);
    return { date: line.date, line, groups: { symbols, timeframes } };
  },
  merge: mergeGroups,
});
