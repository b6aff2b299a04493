import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { sampleOf } from '../../../engine/core/transfer/mask/sample.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { entityOf, showKey } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { busiestSecond } from '../../support/busiest-second.ts';
import { openCapacityProxy } from '../../support/capacity-proxy.ts';
import { seededRandom } from '../../support/fault-proxy.ts';
import { personalIn } from '../../support/personal-values.ts';
import { tables } from '../../support/project.ts';
import { openKillableRefresh, type RefreshPhase, refreshPhases, spreadKills } from '../../support/refresh-kills.ts';
import { contentsOf, countOf, danglingIn, openRefreshBed, type RefreshBed, stagedItems } from '../../support/refresh-run.ts';
import { openSignerProxy } from '../../support/signer-proxy.ts';

const subjects = ['oms_config/CLIENT', 'order-management/META', 'markets/MARKET', 'crypto-scan-history/SCAN'];
type Contents = ReadonlyMap<Table, readonly Item[]>;

describe('a refresh of a test stack from production', function () {
  this.timeout(180_000);
  let bed: RefreshBed;
  const words = (target: string, more: readonly string[] = []) => [
    ...['refresh', '--from', 'prod', '--from-endpoint', bed.source, '--to', 'dev', '--to-endpoint', target],
    ...['--mask', 'masks.yaml', '--share', '30%', '--read-rate', '1000000', '--rate', '1000000', ...more],
  ];

  before(async () => {
    bed = await openRefreshBed(1_000);
  });
  after(() => bed?.close());

  it('loads a masked sample: references whole, nothing personal, no staged data left', async () => {
    const target = await bed.emptyTarget();
    const done = await bed.run(words(target));
    expect(done.code, done.stderr).to.equal(0);
    const source = await bed.itemsOf(bed.source, 'prod');
    const found = await bed.itemsOf(target, 'dev');
    expect(danglingIn(source)).to.deep.equal([]);
    expect(danglingIn(found)).to.deep.equal([]);
    expect(personalIn(source, source)).not.to.have.lengthOf(0);
    expect(personalIn(source, found)).to.deep.equal([]);
    expect(countOf(found)).to.be.greaterThan(100);
    expect(countOf(found)).to.be.lessThan(countOf(source) / 2);
    const filled = [...found].flatMap(([table, items]) => (items.length > 0 ? [table.name] : []));
    expect(filled).to.include.members(['oms_config', 'oms_trading_data', 'order-management', 'crypto-backtest-results']);
    expect(await stagedIn(bed.root)).to.deep.equal([]);
    checkExtent(source, found);
  });

  it('killed with kill -9 in every phase it leaves nothing personal behind, and the same command ends it with the same contents', async () => {
    const source = await bed.itemsOf(bed.source, 'prod');
    const args = (from: string, to: string) => words(to).map((word) => (word === bed.source ? from : word));
    const whole = await openKillableRefresh(bed, { args });
    const { staged, reads, writes } = await whole.run();
    const killed = await openKillableRefresh(bed, { args, staged });
    try {
      const fell: RefreshPhase[] = [];
      const removing = Array.from({ length: 3 }, () => ({ phase: 'removing', at: 0 }) as const);
      for (const kill of [...spreadKills(6, { reads, writes }, seededRandom(18)), ...removing]) {
        if (fell.includes('removing')) break;
        const { ended, phase, pass } = await killed.run(kill);
        // What is staged may go faster than a kill comes; then there is another refresh, of the same.
        if (ended) continue;
        fell.push(phase);
        const where = `killed in ${phase}, pass ${pass}`;
        expect(personalIn(source, await stagedItems(bed.root)), where).to.deep.equal([]);
        expect(personalIn(source, await bed.itemsOf(killed.target, 'dev')), where).to.deep.equal([]);
      }
      expect(fell).to.include.members([...refreshPhases]);
      expect(await killed.run()).to.include({ ended: true });
      expect(contentsOf(await bed.itemsOf(killed.target, 'dev'))).to.deep.equal(
        contentsOf(await bed.itemsOf(whole.target, 'dev')),
      );
      expect(await stagedIn(bed.root)).to.deep.equal([]);
    } finally {
      await Promise.all([whole.close(), killed.close()]);
    }
  });

  it('keeps to the read budget of the one and the write budget of the other', async () => {
    const target = await bed.emptyTarget();
    const [reads, writes] = [await openCapacityProxy(bed.source), await openCapacityProxy(target)];
    try {
      const slow = [
        ...['refresh', '--from', 'prod', '--from-endpoint', reads.endpoint, '--to', 'dev', '--to-endpoint', writes.endpoint],
        ...['--mask', 'masks.yaml', '--share', '10%', '--read-rate', '20', '--rate', '100'],
      ];
      const done = await bed.run(slow);
      expect(done.code, done.stderr).to.equal(0);
      const read = reads.take().filter(({ kind, table }) => kind === 'read' && !table.includes('ledger'));
      const written = writes.take().filter(({ kind, table }) => kind === 'write' && !table.includes('ledger'));
      expect(reads.take().filter(({ kind, table }) => kind === 'write' && !table.includes('ledger'))).to.deep.equal([]);
      for (const name of new Set(read.map(({ table }) => table))) {
        expect(busiestSecond(read.filter(({ table }) => table === name)), name).to.be.at.most(22);
      }
      for (const name of new Set(written.map(({ table }) => table))) {
        expect(busiestSecond(written.filter(({ table }) => table === name)), name).to.be.at.most(110);
      }
    } finally {
      await Promise.all([reads.close(), writes.close()]);
    }
  });

  it('asks each side with the credentials that are for it', async () => {
    const [from, to] = [await openSignerProxy(bed.source), await openSignerProxy(await bed.emptyTarget())];
    try {
      const file = join(bed.root, 'credentials');
      const profile = (name: string) => `[${name}]\naws_access_key_id = key-of-${name}\naws_secret_access_key = secret\n`;
      await writeFile(file, profile('reader') + profile('writer'));
      const args = ['refresh', '--from', 'prod', '--from-endpoint', from.endpoint, '--to', 'dev', '--to-endpoint', to.endpoint];
      const more = ['--mask', 'masks.yaml', '--share', '10%', '--from-profile', 'reader', '--to-profile', 'writer'];
      const done = await bed.run([...args, ...more], undefined, { AWS_SHARED_CREDENTIALS_FILE: file });
      expect(done.code, done.stderr).to.equal(0);
      expect([...from.signers]).to.deep.equal(['key-of-reader']);
      expect([...to.signers]).to.deep.equal(['key-of-writer']);
    } finally {
      await Promise.all([from.close(), to.close()]);
    }
  });

  it('is refused into production, from a stack into itself, and without subjects', async () => {
    const refused = async (args: readonly string[]) => (await bed.run(args)).stderr;
    const common = ['--mask', 'masks.yaml', '--share', '5%'];
    const ends = ['--from-endpoint', bed.source, '--to-endpoint', bed.source];
    expect(await refused(['refresh', '--from', 'dev', '--to', 'prod', ...ends, ...common])).to.equal(
      'REFUSED_IN_PRODUCTION: refresh never writes to a production stack, and prod is one\n→ Name a stack for tests with --to. There is no option that allows it.\n',
    );
    expect(await refused(['refresh', '--from', 'dev', '--to', 'dev', ...ends, ...common])).to.contain(
      'BAD_ARGUMENT: --from dev and --to dev are the same stack in the same place',
    );
    await writeFile(join(bed.root, 'bare.yaml'), '[{ attribute: cpf, as: cpf }]');
    expect(await refused(['refresh', '--from', 'prod', '--to', 'dev', '--mask', 'bare.yaml', '--share', '5%'])).to.contain(
      'BAD_ARGUMENT: --mask bare.yaml: it names no subjects, so a share has nothing to be a share of',
    );
  });
});

/** A chosen subject has all of its dependants; of what is only referred to nothing is there that nobody refers to. */
function checkExtent(source: Contents, found: Contents): void {
  const sample = sampleOf(tables, { subjects, whole: ['oms_config/SETTING'], percent: 30 }, () => new Uint8Array(32));
  const wanted = new Set<number>();
  const all = [...found].flatMap(([table, items]) => items.map((item) => ({ table, item })));
  for (const { table, item } of all) for (const { tie } of sample.ties(table, item).refersTo) wanted.add(tie);
  const referred = all.filter(({ table, item }) =>
    sample.onlyReferred.includes(`${table.name}/${entityOf(table, item)?.name ?? ''}`),
  );
  expect(referred).not.to.have.lengthOf(0);
  const superfluous = referred.filter(({ table, item }) => !sample.ties(table, item).is.some((tie) => wanted.has(tie)));
  expect(superfluous.map(({ table, item }) => `${table.name} ${showKey(table, item)}`)).to.deep.equal([]);
  const [before, after] = [source, found].map((contents) => countsOf(contents, 'oms_trading_data', 'client_id'));
  for (const count of after ?? []) {
    const at = before?.indexOf(count) ?? -1;
    expect(at, `a client with ${count} records`).not.to.equal(-1);
    before?.splice(at, 1);
  }
}

/** How many records of a table have each value of an attribute. */
function countsOf(contents: Contents, tableName: string, attribute: string): number[] {
  const counts = new Map<string, number>();
  for (const [table, items] of contents) {
    for (const item of table.name === tableName ? items : []) {
      const value = scalarText(item[attribute]) ?? '';
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return [...counts.values()];
}

async function stagedIn(root: string): Promise<readonly string[]> {
  const folder = join(root, '.tablewright', 'refresh');
  if (!existsSync(folder)) return [];
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names.filter((one) => one.isFile()).map(({ name }) => name);
}
