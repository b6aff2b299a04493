import {
  decimalText,
  fillCount,
  type GeneratedRecord,
  type Random,
  seededRandom,
  spellTime,
  type Volume,
} from '../../engine/author.ts';
import { activeCoins, coin as coinEntity } from '../../tables/backtest/active-coins.ts';
import { scan as scanEntity, scanHistory } from '../../tables/backtest/scan-history.ts';
import { selectedCoins, timeframes } from './coins.ts';
import { type Coin, resultRecord, type Scan, signalRecord } from './volume-result.ts';

export const coinsPerScan = 30;
const poolSize = 60;
/** Results live for a day; all scans lie within the last twenty hours. */
const spanSeconds = 72_000;
/** Prime to the span, so that scans one after another fall everywhere in it and no two at the same second. */
const strideSeconds = 26_731;
const firstScanSeconds = 30;
const signalsPerScan = 3;
/** Signals live for five minutes; theirs are the last four. */
const signalSpanSeconds = 240;
const tailStream = 0xffff_ffff;

/**
 * Scan by scan: the scan, its thirty coins by five timeframes, signals; with the newest scan also which coins are active. The
 * coins have names of their own, so that no fixture is overwritten. After `spanSeconds` scans another pool of coins follows.
 */
export const backtestVolume: Volume = {
  freshSeconds: 3_600,
  generate: ({ count, seed, base }) =>
    fillCount(count, {
      group: (number) => scanRecords(number, coinsPerScan, seed, base, seededRandom(seed, number)),
      tail: (room) => runningScan(room, seed, base, seededRandom(seed, tailStream)),
    }),
};

function poolOf(pool: number, seed: number): readonly Coin[] {
  return Array.from({ length: poolSize }, (_, at) => {
    const ticker = selectedCoins[at % selectedCoins.length]?.slice(0, -4) ?? '';
    const symbol = `${ticker}${at < selectedCoins.length ? '' : '2'}V${seed}P${pool}USDT`;
    return { symbol, price: 90_000_000_000n / BigInt((at + 1) ** 3) + 13n };
  });
}

function scanRecords(number: number, coins: number, seed: number, base: number, random: Random): readonly GeneratedRecord[] {
  const pool = Math.floor(number / spanSeconds);
  const turn = number % spanSeconds;
  const at = base - firstScanSeconds - ((turn * strideSeconds) % spanSeconds);
  const scan: Scan = { id: `scan-${stamp(at)}-v${seed}p${pool}`, at, newest: turn === 0 };
  const all = poolOf(pool, seed);
  const chosen = choose(all, coins, random);
  const removed = turn === 0 ? all.filter((one) => !chosen.includes(one)).slice(0, 5) : [];
  return [
    scanRecord(scan, chosen, removed, random),
    ...chosen.map((one) => resultRecord(one, scan, random)),
    ...(turn === 0 ? coinRecords(scan, chosen, removed, random) : []),
    ...signalsOf(turn, all, scan, base, random),
  ];
}

/** The scan that is still at work: itself and as many results as there is room for. */
function runningScan(room: number, seed: number, base: number, random: Random): readonly GeneratedRecord[] {
  const records: GeneratedRecord[] = [];
  for (let number = 0; records.length < room; number += 1) {
    const scan: Scan = { id: `scan-running-v${seed}-${number + 1}`, at: base - 1 - number, newest: false };
    const chosen = choose(poolOf(-1 - number, seed), Math.min(coinsPerScan, room - records.length - 1), random);
    records.push(scanRecord(scan, chosen, [], random, 'running'), ...chosen.map((one) => resultRecord(one, scan, random)));
  }
  return records;
}

function choose(pool: readonly Coin[], count: number, random: Random): readonly Coin[] {
  const rest = [...pool];
  return Array.from({ length: count }, () => rest.splice(random.below(rest.length), 1)[0] as Coin);
}

function scanRecord(
  { id, at }: Scan,
  chosen: readonly Coin[],
  removed: readonly Coin[],
  random: Random,
  status: 'completed' | 'running' = 'completed',
): GeneratedRecord {
  const seconds = BigInt(random.between(100, 200));
  const analysed = BigInt(chosen.length) * seconds;
  return {
    table: scanHistory,
    entity: scanEntity,
    record: {
      scan_id: id,
      scan_timestamp: at,
      total_coins_scanned: random.between(540, 560),
      selected_coins: chosen.map((one) => one.symbol),
      removed_coins: removed.map((one) => one.symbol),
      analysis_status: { total: chosen.length, completed: chosen.length, failed: 0, pending: 0 },
      performance: {
        scan_duration: decimalText(BigInt(random.between(40, 70)), 1),
        total_analysis_time: decimalText(analysed, 1),
        avg_analysis_time: decimalText(seconds, 1),
        messages_published: chosen.length * timeframes.length,
      },
      scanner_id: `scanner-${random.between(1, 3)}`,
      created_at: spellTime(at, 'iso'),
      ...(status === 'running' ? {} : { completed_at: spellTime(at + random.between(5, 25), 'iso') }),
      status,
    },
  };
}

function coinRecords(scan: Scan, chosen: readonly Coin[], removed: readonly Coin[], random: Random): readonly GeneratedRecord[] {
  return [...chosen, ...removed].map(({ symbol }, at) => {
    const is_active = at < chosen.length;
    const consecutive_scans = is_active ? random.between(1, 24) : 0;
    const record = { symbol, is_active, last_scan_id: scan.id, last_updated: scan.at, consecutive_scans };
    return { table: activeCoins, entity: coinEntity, record };
  });
}

function signalsOf(turn: number, pool: readonly Coin[], scan: Scan, base: number, random: Random): readonly GeneratedRecord[] {
  if ((turn + 1) * signalsPerScan > poolSize * signalSpanSeconds) return [];
  return Array.from({ length: signalsPerScan }, (_, at) => {
    const number = turn * signalsPerScan + at;
    const second = base - 1 - (Math.floor(number / poolSize) % signalSpanSeconds);
    return signalRecord(pool[number % poolSize] as Coin, scan, second, random);
  });
}

/** `20251217-120000` of a time. */
function stamp(at: number): string {
  return spellTime(at, 'iso').replaceAll(/[-:Z]/g, '').replace('T', '-');
}
