import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import { parseStackConfig, physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { openCapacityProxy } from '../support/capacity-proxy.ts';
import { CliWorker } from '../support/cli-worker.ts';
import { personalIn } from '../support/personal-values.ts';
import { tables, wholeCatalogue } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { repository } from '../support/run-cli.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';
import { itemsOf } from '../support/transfer-bed.ts';

const config = parseStackConfig('dev', {}, wholeCatalogue);
const content = tables.filter(({ system }) => system !== 'tablewright');
const env = { TABLEWRIGHT_MASK_KEY: 'a key for whole stacks, long enough' };
const clientNames = '  - { table: oms_config, entity: CLIENT, attribute: name, as: name }\n';

type Contents = ReadonlyMap<Table, readonly Item[]>;
const canonical = (all: Contents) =>
  [...all].flatMap(([{ name }, items]) => items.map((item) => `${name} ${canonicalItem(item)}`)).toSorted();

/** Lines of data files of a set's tables; of a finished set those that it names. */
async function linesIn(place: string, folderOf: (tableName: string) => string): Promise<Contents> {
  const found = new Map<Table, readonly Item[]>();
  for (const table of content) {
    const folder = join(place, folderOf(physicalName(table, config)));
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const texts = names.filter((name) => name.endsWith('.json.gz')).map((name) => readFile(join(folder, name)));
    const lines = (await Promise.all(texts)).flatMap((bytes) => gunzipSync(bytes).toString().split('\n'));
    found.set(
      table,
      lines.flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { readonly Item: Item }).Item])),
    );
  }
  return found;
}

async function finishedSet(place: string): Promise<Contents> {
  const set = JSON.parse(await readFile(join(place, 'export-set.json'), 'utf8')) as {
    readonly tables: readonly { readonly tableName: string; readonly folder: string }[];
  };
  return linesIn(place, (name) => set.tables.find(({ tableName }) => tableName === name)?.folder ?? '');
}

/** Files of an export, and of what commands keep beside it, that hold a text. */
async function filesHolding(root: string, place: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of [place, '.tablewright']) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((one) => one.isFile())) {
      const bytes = await readFile(join(entry.parentPath, entry.name));
      const plain = entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      if (plain.includes(text)) found.push(entry.name);
    }
  }
  return found;
}

describe('a whole stack exported by one command', function () {
  this.timeout(180_000);
  let folder: ProjectFolder;
  let worker: CliWorker;
  let engine: TestEngine;
  let source: Contents;
  const rules = (text: string) => writeFile(join(folder.root, 'masks.yaml'), text);
  const words = (to: string, endpoint = engine.endpoint, mask = true) => [
    ...['export', '--all', '--to', join(folder.root, to), '--stack', 'dev', '--endpoint', endpoint],
    ...(mask ? ['--mask', 'masks.yaml'] : []),
  ];

  before(async () => {
    folder = await projectFolder({ dev: 'config:\n  aws:region: us-east-1\n' });
    engine = await startEngine(wholeCatalogue, config);
    worker = new CliWorker(folder.root, env);
    const seeded = await worker.run(['seed', '--stack', 'dev', '--endpoint', engine.endpoint, '--quiet']);
    expect(seeded.code, seeded.stderr).to.equal(0);
    source = new Map(await Promise.all(content.map(async (table) => [table, await itemsOf(engine, table)] as const)));
  });
  after(async () => {
    worker?.close();
    await engine?.close();
    await folder?.remove();
  });

  /** Runs the command, killed with kill -9 when its n-th read is answered; tells whether it was. */
  async function killedAt(point: number, args: (endpoint: string) => readonly string[]): Promise<boolean> {
    let [reads, child] = [0, undefined as ChildProcess | undefined];
    const proxy = await openCapacityProxy(engine.endpoint, ({ kind }) => {
      reads += kind === 'read' ? 1 : 0;
      if (reads === point) child?.kill('SIGKILL');
    });
    try {
      child = spawn(process.execPath, [join(repository, 'engine/cli/bin.js'), ...args(proxy.endpoint)], {
        cwd: folder.root,
        env: { ...process.env, ...env },
        stdio: 'ignore',
      });
      const code = await new Promise<number | null>((resolve) => child?.on('close', resolve));
      if (code !== null) expect(code).to.equal(0);
      return code === null;
    } finally {
      child?.kill('SIGKILL');
      await proxy.close();
    }
  }

  for (const masked of [false, true]) {
    it(`${masked ? 'masked, ' : ''}is killed with kill -9 again and again, and the same command ends it with every item once`, async () => {
      await rules(await readFile(join(repository, 'examples/masks.yaml'), 'utf8'));
      const to = masked ? 'masked' : 'plain';
      const args = (endpoint: string) => words(to, endpoint, masked);
      for (const point of [1, 7, 18, 11, 5]) {
        expect(await killedAt(point, args), `at read ${point}`).to.equal(true);
        expect(await readdir(join(folder.root, to)).catch(() => []), `at read ${point}`).not.to.include('export-set.json');
        if (masked) {
          const left = await linesIn(join(folder.root, to), (name) => name);
          expect(personalIn(source, left), `at read ${point}`).to.deep.equal([]);
        }
      }
      expect(await killedAt(Number.POSITIVE_INFINITY, args)).to.equal(false);
      const found = await finishedSet(join(folder.root, to));
      if (!masked) expect(canonical(found)).to.deep.equal(canonical(source));
      for (const [table, items] of found) expect(items, table.name).to.have.lengthOf(source.get(table)?.length ?? 0);
      expect(personalIn(source, found).length > 0).to.equal(!masked);
      const names = await readdir(join(folder.root, to), { recursive: true });
      expect(await filesHolding(folder.root, to, env.TABLEWRIGHT_MASK_KEY), 'the key').to.deep.equal([]);
      expect(names.filter((name) => name.endsWith('.partial') || name.includes('_tablewright/'))).to.deep.equal([]);
    });
  }

  it('has one mask: what was exported before the rules were changed is no part of it', async () => {
    await rules('rules:\n  - { attribute: cpf, as: cpf }\n');
    const args = (endpoint: string) => words('changed', endpoint);
    expect(await killedAt(24, args), 'killed behind the first tables').to.equal(true);
    const before = await linesIn(join(folder.root, 'changed'), (name) => name);
    const client = content.find(({ name }) => name === 'oms_config') as Table;
    expect(before.get(client), 'the first table was complete').not.to.have.lengthOf(0);
    await rules(`rules:\n  - { attribute: cpf, as: cpf }\n${clientNames}`);
    const { code, stdout, stderr } = await worker.run(words('changed'));
    expect(code, stderr).to.equal(0);
    const names = (all: Contents) =>
      (all.get(client) ?? []).filter((item) => scalarText(item.entity_type) === 'CLIENT').map((item) => scalarText(item.name));
    expect(names(source)).not.to.have.lengthOf(0);
    expect(names(await finishedSet(join(folder.root, 'changed'))).filter((name) => names(source).includes(name))).to.deep.equal(
      [],
    );
    expect(stdout + stderr).to.match(
      / has exports of an unfinished set that began at \S+ with other tables, options or rules\. They are no part of this one: /,
    );
    expect(stdout + stderr, 'what each rule did').to.match(/^ {2}rule 2: oms_config\/CLIENT name as name: \d+ values$/m);
  });

  it('refuses to mask a table that no catalogue has, before anything is read', async () => {
    await rules('rules:\n  - { attribute: cpf, as: cpf }\n');
    const { code, stderr } = await worker.run([...words('strange'), '--table-name', 'legacy_orders', '--table-name', 'old']);
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      'BAD_ARGUMENT: export: no catalogue has these tables, so no rule tells what is personal in them\n' +
        '  - --table-name legacy_orders\n  - --table-name old\n' +
        '→ Leave them out of the masked export, or describe them in the catalogue (tablewright table from-aws). Nothing was read.\n',
    );
    expect(await readdir(folder.root)).not.to.include('strange');
  });
});
