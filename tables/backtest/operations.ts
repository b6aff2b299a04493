import { z } from 'zod';
import { type Item, scalarText } from '../model/attribute-value.ts';
import { choice, epochSeconds, text } from '../model/attributes.ts';
import { absent, any, atMost, equals, less } from '../model/condition.ts';
import { keyOf } from '../model/item.ts';
import { defineOperation, maxTransactionWrites, type Transaction, type Write } from '../model/operation.ts';
import { activeCoinSeconds, activeCoins } from './active-coins.ts';
import { backtestResults } from './results.ts';

interface ScanTime {
  readonly scanId: string;
  readonly scanTimestamp: number;
}

/**
 * Replaces the active coins by those of a scan. A scan may choose and drop more coins than one transaction takes, so
 * each coin has its own: its results and its row change together, and a run that is repeated goes on where it was.
 */
export const replaceScanCoins = defineOperation({
  name: 'backtest.replaceScanCoins',
  description: 'Mark the coins that a scan no longer selects as inactive (or delete them), and the selected ones as active',
  invariant:
    'What a coin’s row says is what the newest scan that chose or dropped it said, each scan counted once; a coin is dropped in the same step as the last of its results',
  params: {
    scanId: text(),
    scanTimestamp: epochSeconds(),
    selected: z.array(text()),
    dropped: choice('deactivate', 'delete').default('deactivate'),
  },
  // One of a coin's results expired or was changed: without it, the coin is dropped all the same.
  again: ['result-changed'],
  reads: () => [{ pattern: backtestResults.patterns.active, params: {} }],
  decide: ({ selected, dropped, ...scan }, [active = []]) => {
    const kept = new Set(selected);
    // A result of a newer scan is none of this scan's business, should an old one be replayed late.
    const left = active.filter(
      (item) => !kept.has(symbolOf(item)) && Number(scalarText(item.scan_timestamp)) <= scan.scanTimestamp,
    );
    return {
      transactions: [
        ...[...new Set(left.map(symbolOf))].flatMap((symbol) => dropCoin(symbol, resultsOf(left, symbol), dropped, scan)),
        ...[...kept].map((symbol) => ({ writes: [activateCoin(symbol, scan)] })),
      ],
    };
  },
});

function resultsOf(items: readonly Item[], symbol: string): readonly Item[] {
  return items.filter((item) => symbolOf(item) === symbol);
}

function symbolOf(item: Item): string {
  return scalarText(item.symbol) ?? '';
}

/**
 * Results first, the coin's own row with the last of them, so that a coin is only gone when all its results are. None of them
 * goes once a newer scan has spoken of the coin.
 */
function dropCoin(
  symbol: string,
  results: readonly Item[],
  mode: 'deactivate' | 'delete',
  scan: ScanTime,
): readonly Transaction[] {
  const writes = results.map((item) => dropResult(item, mode));
  const last = writes.splice(-(maxTransactionWrites - 1));
  const earlier: Transaction[] = [];
  const row = notNewer(symbol, scan);
  while (writes.length > 0) earlier.push({ writes: [...writes.splice(0, maxTransactionWrites - 1), { kind: 'check', ...row }] });
  return [...earlier, { writes: [...last, dropRow(symbol, scan)] }];
}

function notNewer(symbol: string, { scanTimestamp }: ScanTime) {
  const condition = any(absent('symbol'), atMost('last_updated', { N: String(scanTimestamp) }));
  return { table: activeCoins, key: { symbol: { S: symbol } }, condition, refusal: 'newer-scan' };
}

function dropResult(item: Item, mode: 'deactivate' | 'delete'): Write {
  const target = {
    table: backtestResults,
    key: keyOf(backtestResults, item),
    condition: equals('status', 'active'),
    refusal: 'result-changed',
  };
  return mode === 'delete' ? { kind: 'delete', ...target } : { kind: 'update', ...target, set: { status: { S: 'inactive' } } };
}

function dropRow(symbol: string, scan: ScanTime): Write {
  const set = { ...rowValues(scan), is_active: { BOOL: false }, consecutive_scans: { N: '0' } };
  // The row stays until its ttl also where results are deleted: it keeps an older scan, replayed late, from bringing the coin back.
  return { kind: 'update', ...notNewer(symbol, scan), set };
}

function activateCoin(symbol: string, scan: ScanTime): Write {
  return {
    kind: 'update',
    table: activeCoins,
    key: { symbol: { S: symbol } },
    set: { ...rowValues(scan), is_active: { BOOL: true } },
    add: { consecutive_scans: '1' },
    // Strictly older: a repeated scan counts once.
    condition: any(absent('symbol'), less('last_updated', { N: String(scan.scanTimestamp) })),
    refusal: 'newer-scan',
  };
}

function rowValues({ scanId, scanTimestamp }: ScanTime): Item {
  return {
    last_scan_id: { S: scanId },
    last_updated: { N: String(scanTimestamp) },
    ttl: { N: String(scanTimestamp + activeCoinSeconds) },
  };
}
