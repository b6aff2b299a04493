import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { otherWay } from '../../bench/scale/other-way.ts';
import { planScale, type Quotas, type Work } from '../../bench/scale/plan.ts';
import { repository } from '../support/run-cli.ts';

const worker = { itemsPerSecond: 1_000, memoryGb: 1, startSeconds: 5 };
const work: Work = { items: 1_000_000, writeUnitsPerItem: 2, readUnitsPerItem: 0.1 };
const quotas: Quotas = {
  ...{ lambdaConcurrency: 1_000, lambdaPerTenSeconds: 1_000, mapConcurrency: 10_000 },
  ...{ tableWriteUnits: 40_000, partitionWriteUnits: 1_000 },
};
const prices = { lambdaGbSecond: 0.00001, lambdaRequest: 0, transition: 0.000025, writeUnit: 0.00000125, readUnit: 0.00000025 };
const plan = (workers: number, more: Partial<Work> = {}, other: Partial<Quotas> = {}) =>
  planScale(workers, worker, { ...work, ...more }, { ...quotas, ...other }, prices);

describe('many workers on paper', function () {
  this.timeout(60_000);

  it('go as fast as the least of workers, quotas, table and budget, and say which that is', () => {
    const found = (given: ReturnType<typeof plan>) => [given.atWork, given.writeUnitsPerSecond, given.binds];
    expect(found(plan(4))).to.deep.equal([4, 8_000, 'workers']);
    expect(found(plan(100))).to.deep.equal([100, 40_000, 'the table’s write units']);
    expect(found(plan(100, { budget: 500 }))).to.deep.equal([5, 500, 'the budget']);
    expect(found(plan(50, {}, { lambdaConcurrency: 10 }))).to.deep.equal([10, 20_000, 'Lambda’s concurrency']);
    expect(found(plan(30_000, {}, { lambdaConcurrency: 30_000, tableWriteUnits: 1e9 })).slice(0, 1)).to.deep.equal([10_000]);
  });

  it('take the time of what is written, and cost workers, transitions and units', () => {
    const { seconds, partitions, cost } = plan(4);
    expect([seconds, partitions]).to.deep.equal([5 + 2_000_000 / 8_000, 8]);
    expect(cost.lambda).to.be.closeTo(4 * 255 * 0.00001, 1e-9);
    expect(cost.units).to.be.closeTo(2.5 + 0.025, 1e-9);
    // 16 units, two passes, four transitions each; two more for each of two rounds of 890 s.
    expect(cost.transitions).to.be.closeTo((16 * 2 * 4 + 2 * 2) * 0.000025, 1e-12);
  });

  it('are beside bulk put as dear as it at the price that is named', () => {
    const bytes = 1_000;
    const gb = (1e6 * bytes) / 1_024 ** 3;
    const { workers, exported, ifChangedAlone = 0, ifAll = 0 } = otherWay(0.1, work, bytes, 0.1, prices);
    expect(exported + ifChangedAlone * gb * 0.1).to.be.closeTo(workers, 1e-9);
    expect(exported + ifAll * gb).to.be.closeTo(workers, 1e-9);
    expect(otherWay(0.0001, work, bytes, 0.1, prices).ifAll).to.equal(undefined);
  });

  it('are in docs/scale.md as simulate:scale prints and draws them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tablewright-scale-'));
    try {
      const picture = join(folder, 'scale.svg');
      const words = ['--import', 'tsx', 'bench/simulate-scale.ts', '--picture', picture];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: repository });
      const page = await readFile(join(repository, 'docs/scale.md'), 'utf8');
      const rows = stdout.split('\n').filter((line) => /^[\d.,]+( %)? {2,}/.test(line));
      expect(rows).to.have.length(12);
      const told = rows.map((row) => row.trim().replaceAll('’', "'").split(/ {2,}/));
      for (const cells of told) expect(page).to.contain(`\n| ${cells.join(' | ')} |\n`);
      const perMillion = Number(told.find(([share]) => share === '100 %')?.[1]?.slice(1));
      const infrastructure = await readFile(join(repository, 'docs/infrastructure.md'), 'utf8');
      expect(infrastructure).to.contain(`$${perMillion.toFixed(2)} of units`);
      expect(await readFile(picture, 'utf8')).to.equal(await readFile(join(repository, 'docs/images/scale.svg'), 'utf8'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
