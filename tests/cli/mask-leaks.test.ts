import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { buildItem } from '../../tables/model/item.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { orderCustomer, orderManagement } from '../../tables/order-management/order-management.ts';
import { CliWorker } from '../support/cli-worker.ts';
import { wholeCatalogue } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const config = parseStackConfig('dev', {}, wholeCatalogue);
const env = { TABLEWRIGHT_MASK_KEY: 'a key for leaks, long enough' };
const rules = [
  { attribute: 'cpf', as: 'cpf' },
  { attribute: 'first_name', as: 'name' },
  { attribute: 'last_name', as: 'name' },
  { attribute: 'email', as: 'email' },
  { attribute: 'phone', as: 'phone' },
  { attribute: 'address', as: 'text' },
  { attribute: 'city', as: 'text' },
];
const person = {
  ...{ cpf: '52998224725', first_name: 'Joaquim', last_name: 'Figueiredo', phone: '+55 (21) 98765-4321' },
  email: 'jqm.figueiredo@correio.com.br',
  address: {
    ...{ street: 'Rua das Laranjeiras', number: '1047', neighborhood: 'Bairro', city: 'Petrópolis', state: 'RJ' },
    zip_code: '25685-040',
  },
};
const customer = (order_id: string, change: object = {}): Item =>
  buildItem(orderManagement, orderCustomer, { company_cnpj: '12.345.678/0001-99', order_id, ...person, ...change });

/** One place or spelling each, and what must not be found of it, in small letters and digits alone. */
const copies: Readonly<Record<string, readonly [Item, string]>> = {
  'as a number': [{ copy: { N: '52998224725' } }, '52998224725'],
  'in a number set': [{ copy: { NS: ['52998224725', '1'] } }, '52998224725'],
  'in binary': [{ copy: { B: Buffer.from('of 52998224725') } }, '52998224725'],
  'as the name of an attribute': [{ 'is 52998224725': { BOOL: true } }, '52998224725'],
  'as the key of a map': [{ copy: { M: { '529.982.247-25': { BOOL: true } } } }, '52998224725'],
  'in capitals': [{ copy: { S: 'SR. FIGUEIREDO' } }, 'figueiredo'],
  'without punctuation': [{ copy: { S: 'ring 5521987654321' } }, '5521987654321'],
  'URL-encoded': [{ copy: { S: 'mailto=jqm.figueiredo%40correio.com.br' } }, 'jqmfigueiredo'],
  'as the local part of an e-mail': [{ copy: { S: 'login jqm.figueiredo' } }, 'jqmfigueiredo'],
};

describe('what a masked export once let out', function () {
  this.timeout(60_000);
  let folder: ProjectFolder;
  let worker: CliWorker;
  let engine: TestEngine;
  const run = (to: string, more: readonly string[] = [], stop?: AbortSignal) =>
    worker.run(
      [
        ...['export', 'order-management', '--to', join(folder.root, to), '--mask', 'rules.json'],
        ...['--stack', 'dev', '--endpoint', engine.endpoint, ...more],
      ],
      stop,
    );

  /** Everything below a folder, data files unpacked, bytes as text. */
  async function textIn(to: string): Promise<string> {
    const entries = await readdir(join(folder.root, to), { recursive: true, withFileTypes: true }).catch(() => []);
    const texts = entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const bytes = await readFile(join(entry.parentPath, entry.name));
        return `${entry.name}\n${(entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()}`;
      });
    return (await Promise.all(texts)).join('\n');
  }
  const itemsIn = async (to: string) =>
    [...(await textIn(to)).matchAll(/^\{"Item":.*$/gm)].map(([line]) => (JSON.parse(line) as { readonly Item: Item }).Item);
  const bare = (text: string) =>
    text
      .replaceAll(/"B":"([^"]*)"/g, (_, base64: string) => Buffer.from(base64, 'base64').toString())
      .replaceAll(/[^a-z0-9]/gi, '');

  async function withItems(items: readonly Item[], work: () => Promise<void>): Promise<void> {
    await engine.putRaw(orderManagement, items);
    try {
      await work();
    } finally {
      await engine.removeRaw(orderManagement, items);
    }
  }

  before(async () => {
    folder = await projectFolder({ dev: 'config:\n  aws:region: us-east-1\n' });
    engine = await startEngine(wholeCatalogue, config);
    worker = new CliWorker(folder.root, env);
  });
  beforeEach(() => writeFile(join(folder.root, 'rules.json'), JSON.stringify(rules)));
  after(async () => {
    worker?.close();
    await engine?.close();
    await folder?.remove();
  });

  it('everything, by a misspelt rule', () =>
    withItems([customer('ORD-1')], async () => {
      const misspelt = rules.map((rule) => (rule.attribute === 'email' ? { ...rule, attribute: 'emial' } : rule));
      await writeFile(join(folder.root, 'rules.json'), JSON.stringify(misspelt));
      const { code, stderr } = await run('misspelt');
      expect([code, await textIn('misspelt')]).to.deep.equal([2, '']);
      expect(stderr).to.contain('did you mean email?');
    }));

  it('original keys, in the cursors of an interrupted one', async () => {
    const many = Array.from({ length: 60 }, (_, at) =>
      customer(`ORD-${at}`, { cpf: `900.000.${at + 100}-00`, last_name: 'x'.repeat(4_000) }),
    );
    await withItems(many, async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 3_000);
      const { code } = await run('cursors', ['--rate', '3'], stop.signal);
      expect(code).to.equal(130);
      const left = await textIn('cursors');
      expect(left)
        .to.contain('{"Item":')
        .and.not.to.match(/900\.?000\.?1/);
      expect((await run('cursors')).code).to.equal(0);
      expect(await itemsIn('cursors')).to.have.lengthOf(60);
    });
  });

  for (const [where, [more, wanted]] of Object.entries(copies)) {
    it(`a copy ${where}`, () =>
      withItems([{ ...customer('ORD-1'), ...more }], async () => {
        const to = `copy ${where}`;
        const { code, stderr } = await run(to);
        expect(code, stderr).to.equal(0);
        const items = await itemsIn(to);
        expect(items).to.have.lengthOf(1);
        expect(bare(JSON.stringify(items)).toLowerCase()).not.to.contain(wanted);
      }));
  }

  it('one of two records, whose keys became one', () => {
    const one = customer('ORD-1');
    return withItems([one, { ...one, SK: { S: 'CUSTOMER#OLD-9' } }], async () => {
      const { code, stdout, stderr } = await run('keys');
      expect(code, stderr).to.equal(0);
      const keys = (await itemsIn('keys')).map((item) => scalarText(item.SK));
      expect(new Set(keys).size).to.equal(2);
      expect(keys.join()).not.to.match(/52998224725|OLD-9/);
      expect(stdout + stderr).to.contain('CUSTOMER.cpf: the key of 1 record says something else than the attribute');
    });
  });

  it('whole items of other tables, from the journals of the ledger', async () => {
    const to = join(folder.root, 'ledger');
    const words = ['--mask', 'rules.json', '--stack', 'dev', '--endpoint', engine.endpoint];
    for (const command of [
      ['export', 'tablewright-ledger', '--to', to, ...words],
      ['mask', 'plan', 'rules.json', '--table', 'tablewright-ledger', ...words.slice(2)],
    ]) {
      const { code, stderr } = await worker.run(command);
      expect([code, await textIn('ledger')]).to.deep.equal([2, '']);
      expect(stderr).to.match(
        /^BAD_ARGUMENT: tablewright-ledger: the ledger cannot be masked: its journals hold items of other tables\n→ /,
      );
    }
  });

  it('a record of no entity, whole', () =>
    withItems([{ PK: { S: 'LEAD#529.982.247-25' }, SK: { S: 'X' }, who: { S: 'Joaquim' } }], async () => {
      const { code, stderr } = await run('strays');
      expect(code).to.equal(2);
      expect(stderr).to.contain('a record fits no entity of the catalogue');
      expect(await textIn('strays'))
        .not.to.contain('manifest-summary.json')
        .and.not.to.match(/529|Joaquim/);
    }));
});
