import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Table } from '../../../tables/model/table.ts';
import { busiestSecond } from '../../support/busiest-second.ts';
import { openCapacityProxy } from '../../support/capacity-proxy.ts';
import { seededRandom } from '../../support/fault-proxy.ts';
import { personalIn } from '../../support/personal-values.ts';
import { tables } from '../../support/project.ts';
import { contentsOf, countOf, danglingIn, openRefreshBed, type RefreshBed } from '../../support/refresh-run.ts';
import { openSignerProxy } from '../../support/signer-proxy.ts';

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
  });

  it('killed with kill -9 at random requests it leaves nothing personal behind, and the same command ends it with the same contents', async () => {
    const source = await bed.itemsOf(bed.source, 'prod');
    const whole = await bed.emptyTarget();
    const { requests } = await refreshTo(whole, () => Number.POSITIVE_INFINITY);
    const other = await bed.emptyTarget();
    const random = seededRandom(18);
    let kills = 0;
    await refreshTo(
      other,
      () => (kills >= 6 ? Number.POSITIVE_INFINITY : Math.ceil((random() * requests) / 2)),
      async (point) => {
        kills += 1;
        expect(personalIn(source, await stagedItems(bed.root)), `killed at request ${point}`).to.deep.equal([]);
        expect(personalIn(source, await bed.itemsOf(other, 'dev')), `killed at request ${point}`).to.deep.equal([]);
      },
    );
    expect(kills).to.be.greaterThan(1);
    expect(contentsOf(await bed.itemsOf(other, 'dev'))).to.deep.equal(contentsOf(await bed.itemsOf(whole, 'dev')));
    expect(await stagedIn(bed.root)).to.deep.equal([]);
  });

  /** The same command again and again until it ends, each time killed with the so-manieth request that either side answers. */
  async function refreshTo(
    target: string,
    nextPoint: () => number,
    onKilled?: (point: number) => Promise<void>,
  ): Promise<{ readonly requests: number }> {
    const state = { requests: 0, point: 0, child: undefined as ChildProcess | undefined };
    const onConsumed = (): void => {
      state.requests += 1;
      if (state.requests === state.point) state.child?.kill('SIGKILL');
    };
    const [reads, writes] = [await openCapacityProxy(bed.source, onConsumed), await openCapacityProxy(target, onConsumed)];
    const args = words(writes.endpoint).map((word) => (word === bed.source ? reads.endpoint : word));
    try {
      for (;;) {
        Object.assign(state, { requests: 0, point: nextPoint() });
        const { code, stderr } = await bed.run(args, (child) => Object.assign(state, { child }));
        if (code === null) await onKilled?.(state.point);
        else {
          expect(code, stderr).to.equal(0);
          return state;
        }
      }
    } finally {
      state.child?.kill('SIGKILL');
      await Promise.all([reads.close(), writes.close()]);
    }
  }

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

/** Stands in ARNs of stacks that are not on AWS; with the figure before it, it looks like a CPF. */
const localAccount = '000000000000';

/** All that is staged, as if it were items: lines of data files, and the text of every other file. */
async function stagedItems(root: string): Promise<ReadonlyMap<Table, readonly Item[]>> {
  const items: Item[] = [];
  const folder = join(root, '.tablewright', 'refresh');
  if (!existsSync(folder)) return new Map();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    const lines = entry.name.endsWith('.gz') ? gunzipSync(bytes).toString().split('\n') : [];
    for (const line of lines) if (line !== '') items.push((JSON.parse(line) as { readonly Item: Item }).Item);
    if (!entry.name.endsWith('.gz')) items.push({ text: { S: bytes.toString('latin1').replaceAll(localAccount, '') } });
  }
  return new Map([[tables[0] as Table, items]]);
}

async function stagedIn(root: string): Promise<readonly string[]> {
  const folder = join(root, '.tablewright', 'refresh');
  if (!existsSync(folder)) return [];
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names.filter((one) => one.isFile()).map(({ name }) => name);
}
