import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { readText } from '../../../engine/core/transfer/blob-store.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { archiveSubjects } from '../../../engine/run/archive/archive-subjects.ts';
import { meanOf } from '../../../tables/backtest/exact-decimal.ts';
import { backtestResults, result } from '../../../tables/backtest/results.ts';
import { scanArchive } from '../../../tables/backtest/scan-archive.ts';
import { scan, scanHistory } from '../../../tables/backtest/scan-history.ts';
import { mergeGroups, scanStatistics } from '../../../tables/backtest/scan-statistics.ts';
import { mergeStatistics, statisticOf } from '../../../tables/backtest/statistic.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { addDecimals } from '../../../tables/model/decimal.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { mortality } from '../../support/mortality.ts';
import { useEngine } from '../../support/test-engine.ts';
import { itemsOf, useFolder } from '../../support/transfer-bed.ts';

const noon = 1_702_814_400; // 2023-12-17T12:00:00Z
const timeframe = (pnl: string, strategy = 'ADVANCED') => ({
  total_trades: 10,
  win_rate: '50.5',
  total_pnl: pnl,
  avg_win: '1.1',
  avg_loss: '-0.1',
  confidence_avg: '80',
  best_strategy: strategy,
  analysis_time: '1.5',
  status: 'completed' as const,
});

/** Not yet over: an engine that deletes what has expired, as AWS does, would take records of that day at once. */
const laterOn = (item: Item): Item => ({ ...item, ttl: { N: String(Math.floor(Date.now() / 1_000) + 86_400) } });

const resultOf = (scanId: string, symbol: string, pnl: string, at = noon) =>
  laterOn(
    buildItem(backtestResults, result, {
      symbol,
      scan_timestamp: at,
      volatility_24h: '5.23',
      turnover: '6858457877.50',
      price: '1',
      price_change_24h: '0.91',
      timeframes: { '1m': timeframe(pnl), '3m': timeframe('-0.1', 'BASIC') },
      optimal_timeframe: '1m',
      optimal_pnl: pnl,
      optimal_win_rate: '56.4',
      btc_correlation: '0.85',
      trend_analysis: { current_trend: 'UPTREND', strength: '75.3', btc_trend: 'SIDEWAYS' },
      scan_id: scanId,
      analyzer_id: 'analyzer-1',
      created_at: '2023-12-17T12:00:00Z',
      updated_at: '2023-12-17T12:00:00Z',
      version: 1,
      status: 'active',
    }),
  );

const scanOf = (scanId: string, status: 'running' | 'completed' = 'completed', at = noon) =>
  laterOn(
    buildItem(scanHistory, scan, {
      scan_id: scanId,
      scan_timestamp: at,
      total_coins_scanned: 552,
      selected_coins: ['BTCUSDT', 'ETHUSDT'],
      removed_coins: [],
      analysis_status: { total: 2, completed: 2, failed: 0, pending: 0 },
      performance: { scan_duration: '5.2', total_analysis_time: '450.3', avg_analysis_time: '15.01', messages_published: 10 },
      scanner_id: 'scanner-1',
      created_at: '2023-12-17T12:00:00Z',
      status,
    }),
  );

describe('figures', () => {
  it('are exact: a tenth added ten times is one, and 38 digits lose none', () => {
    expect(statisticOf(Array.from({ length: 10 }, () => '0.1'))?.sum).to.equal('1');
    expect(addDecimals('12345678901234567890123456789012345678', '-0.1')).to.equal('12345678901234567890123456789012345677.9');
    expect(addDecimals('1E+20', '1E-20')).to.equal('100000000000000000000.00000000000000000001');
  });

  it('round means to eight digits, halves away from zero', () => {
    expect(meanOf('1', 3)).to.equal('0.33333333');
    expect(meanOf('2', 3)).to.equal('0.66666667');
    expect(meanOf('-2', 3)).to.equal('-0.66666667');
    expect(meanOf('0.00000001', 2)).to.equal('0.00000001');
  });

  it('of parts merge to the figures of the whole', () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 12 }))
      .map(([n, scale]) => `${n}E-${scale}`);
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1, maxLength: 20 }), fc.nat(20), (values, at) => {
        const canonical = values.map((value) => addDecimals(value, '0'));
        const merged = mergeStatistics(statisticOf(canonical.slice(0, at)), statisticOf(canonical.slice(at)));
        expect(merged).to.deep.equal(statisticOf(canonical));
      }),
    );
  });

  it('do not depend on the order of the records, and pass over what is no number', () => {
    const records: Item[] = [
      resultOf('s', 'A', '1.5'),
      resultOf('s', 'B', '-2.25'),
      { ...resultOf('s', 'C', '0'), optimal_pnl: { S: 'n/a' } },
    ];
    const one = scanStatistics('s', scanOf('s'), records);
    expect(scanStatistics('s', scanOf('s'), records.toReversed())).to.deep.equal(one);
    expect(one.scan.figures.optimal_pnl).to.deep.equal({ count: 2, sum: '-0.75', mean: '-0.375', min: '-2.25', max: '1.5' });
    expect(one.scan.best).to.deep.equal({ symbol: 'A', optimal_pnl: '1.5' });
    expect(one.scan.worst).to.deep.equal({ symbol: 'B', optimal_pnl: '-2.25' });
    expect(one.scan.optimal_timeframes).to.deep.equal({ '1m': 3 });
    expect(one.timeframes.map(({ group }) => group)).to.deep.equal(['1m', '3m']);
    expect(one.timeframes[1]?.figures.total_pnl?.sum).to.equal('-0.3');
    expect(one.timeframes[1]?.tallies.best_strategies).to.deep.equal({ BASIC: 3 });
    expect(mergeGroups([...one.symbols, ...one.symbols]).map((line) => line.results)).to.deep.equal([2, 2, 2]);
  });
});

describe('an archive', () => {
  const engine = useEngine([backtestResults, scanHistory]);
  const folder = useFolder();

  before(async () => {
    await engine().putRaw(scanHistory, [
      scanOf('scan-1'),
      scanOf('scan-2', 'completed', noon + 3_600),
      scanOf('scan-3', 'running'),
    ]);
    await engine().putRaw(backtestResults, [
      resultOf('scan-1', 'BTCUSDT', '0.1'),
      resultOf('scan-1', 'ETHUSDT', '-5'),
      resultOf('scan-2', 'BTCUSDT', '0.2', noon + 3_600),
    ]);
  });

  const place = () => directoryBlobStore(join(folder(), 'archive'));
  const run = (again = false, scans?: readonly string[], target = place()) =>
    archiveSubjects(
      {
        archive: scanArchive,
        read: engine().environment,
        target,
        subjects: async function* () {
          yield await itemsOf(engine(), scanHistory);
        },
      },
      { again, ids: scans },
    );
  const everything = async (target = place()) => {
    const files: Record<string, string | undefined> = {};
    for (const { name } of await target.list('')) files[name] = await readText(target, name);
    return files;
  };

  it('has one file per scan under its date, and the figures of the day over its scans', async () => {
    const done = await run();
    expect(done).to.deep.include({ outcome: 'complete', results: 3, days: ['2023-12-17'] });
    expect(done.subjects).to.deep.equal({ archived: 2, unchanged: 0, running: 1, kept: 0 });
    const files = await everything();
    expect(Object.keys(files)).to.deep.equal([
      'scans/date=2023-12-17/scan-1.jsonl',
      'scans/date=2023-12-17/scan-2.jsonl',
      'symbols-by-day/date=2023-12-17/all.jsonl',
      'symbols-by-scan/date=2023-12-17/scan-1.jsonl',
      'symbols-by-scan/date=2023-12-17/scan-2.jsonl',
      'timeframes-by-day/date=2023-12-17/all.jsonl',
      'timeframes-by-scan/date=2023-12-17/scan-1.jsonl',
      'timeframes-by-scan/date=2023-12-17/scan-2.jsonl',
    ]);
    const days = files['symbols-by-day/date=2023-12-17/all.jsonl']
      ?.trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(days?.[0]).to.deep.include({ group: 'BTCUSDT', results: 2, scans: ['scan-1', 'scan-2'] });
    expect(days?.[0].figures.optimal_pnl).to.deep.equal({ count: 2, sum: '0.3', mean: '0.15', min: '0.1', max: '0.2' });
  });

  it('changes nothing when it is made again', async () => {
    const before = await everything();
    expect((await run()).subjects).to.deep.equal({ archived: 0, unchanged: 2, running: 1, kept: 0 });
    expect((await run(true)).subjects).to.deep.include({ archived: 2 });
    expect(await everything()).to.deep.equal(before);
  });

  it('is the same wherever a run was killed, and what that left half written goes when it is old', async () => {
    const wanted = await everything();
    let kills = 0;
    for (let limit = 0; ; limit += 1) {
      const directory = join(folder(), `killed-${limit}`);
      const { state, mortal } = mortality(limit);
      await run(false, undefined, mortal(directoryBlobStore(directory))).catch(() => undefined);
      const whole = directoryBlobStore(directory);
      const names = ['old.jsonl.0badc0de.partial', 'new.jsonl.0badc0de.partial', 'of-somebody-else.partial'];
      await whole.write('scans/x', new Uint8Array());
      for (const name of names) await writeFile(join(directory, 'scans', name), 'half');
      for (const name of [names[0], names[2]]) await utimes(join(directory, 'scans', name ?? ''), 1, 1);
      await whole.remove(['scans/x']);
      await run(false, undefined, whole);
      expect(await everything(whole), `after ${limit} requests`).to.deep.equal(wanted);
      expect((await readdir(join(directory, 'scans'))).filter((name) => name.endsWith('.partial'))).to.deep.equal(names.slice(1));
      if (!state.dead) break;
      kills += 1;
    }
    expect(kills).to.be.greaterThan(10);
  });

  it('is never replaced by one with fewer results, when TTL has taken some', async () => {
    const { DeleteItemCommand } = await import('@aws-sdk/client-dynamodb');
    const Key = { symbol: { S: 'ETHUSDT' }, scan_timestamp: { N: String(noon) } };
    await engine().client.send(new DeleteItemCommand({ TableName: 'crypto-backtest-results-test', Key }));
    const before = await everything();
    expect((await run(true, ['scan-1'])).subjects).to.deep.equal({ archived: 0, unchanged: 0, running: 0, kept: 1 });
    expect(await everything()).to.deep.equal(before);
  });

  it('of a scan that nobody has is an error', async () => {
    expect(await run(false, ['scan-404']).catch((reason: Error) => reason)).to.include({ code: 'UNKNOWN_NAME', exitCode: 2 });
  });
});
