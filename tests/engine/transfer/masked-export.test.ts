import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { unmatchedRules } from '../../../engine/core/transfer/mask/check-tally.ts';
import { itemMasker } from '../../../engine/core/transfer/mask/mask-item.ts';
import type { MaskFile } from '../../../engine/core/transfer/mask/mask-rules.ts';
import { maskText } from '../../../engine/core/transfer/mask/mask-value.ts';
import { directoryBlobStore } from '../../../engine/local/directory-blob-store.ts';
import { LedgerStore } from '../../../engine/run/ledger/ledger-store.ts';
import type { ExportEnvironment, ExportMask } from '../../../engine/run/transfer/export-environment.ts';
import { exportTable } from '../../../engine/run/transfer/export-table.ts';
import { ledgerRecords } from '../../../engine/run/transfer/ledger-records.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { buildItem, keyProblems } from '../../../tables/model/item.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { exportSegmentRecord } from '../../../tables/model/ledger/transfer-records.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { orderCustomer, orderManagement, orderShipping } from '../../../tables/order-management/order-management.ts';
import { failureOf } from '../../support/failure-of.ts';
import { boundTable, testHash as hash, maskFile } from '../../support/mask-bed.ts';
import { useEngine } from '../../support/test-engine.ts';
import { exportEnvironment, exportRequest, itemsOf, useFolder } from '../../support/transfer-bed.ts';

const file: MaskFile = maskFile([
  { attribute: 'cpf', as: 'cpf' },
  { attribute: 'first_name', as: 'name' },
  { attribute: 'last_name', as: 'name' },
  { attribute: 'email', as: 'email' },
  { attribute: 'phone', as: 'phone' },
  { attribute: 'address', as: 'text' },
  { attribute: 'city', as: 'text' },
]);

const address = {
  street: 'Rua das Laranjeiras',
  number: '1047',
  neighborhood: 'Centro',
  city: 'Petrópolis',
  state: 'RJ',
  zip_code: '25685-040',
};
const order = (at: number) => ({ company_cnpj: '12.345.678/0001-99', order_id: `ORD-${at}` });
const cpf = (at: number) => `900.000.${String(at).padStart(3, '0')}-00`;
const person = (at: number) => ({
  ...order(at),
  cpf: cpf(at),
  first_name: 'Joaquim',
  last_name: 'Figueiredo',
  email: `joaquim.${at}@correio.com.br`,
  phone: '+55 (21) 98765-4321',
  address,
});
const shipping = (at: number) => ({
  ...order(at),
  ...{ shipping_method: 'SEDEX', shipping_cost: '10.50', city: 'Petrópolis', expected_delivery_date: '2025-01-09' },
});
const people = 60;

function exportMask(rules: MaskFile): ExportMask {
  const bound = boundTable(orderManagement, rules);
  return {
    masker: () => itemMasker(bound, hash),
    key: orderManagement.key,
    check: (tally) => {
      const problems = unmatchedRules(bound, tally);
      if (problems.length > 0) throw new TablewrightError('BAD_ARGUMENT', 'rules matched nothing', { problems });
    },
  };
}

/** Every file below a folder as text, data files unpacked. */
async function textsIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const texts = await Promise.all(files.map((name) => readFile(name)));
  return texts
    .map((bytes, at) => `${files[at]}\n${(files[at]?.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()}`)
    .join('\n');
}

describe('a masked export', () => {
  const engine = useEngine([orderManagement, ledger]);
  const folder = useFolder();
  const table = () => physicalName(orderManagement, engine().config);
  const ledgerStore = () => {
    const { store, names, gates, writeGates, sleep, random } = engine().environment;
    return new LedgerStore({ store, names, gates, writeGates, sleep, random });
  };
  const environment = (place: string, change: Partial<ExportEnvironment> = {}) =>
    exportEnvironment(engine(), directoryBlobStore(join(folder(), place)), {
      records: ledgerRecords(ledgerStore(), table()),
      ...change,
    });
  const request = (rules: MaskFile = file) => ({
    ...exportRequest(engine(), orderManagement),
    fileBytes: 2_000,
    segments: 2,
    mask: exportMask(rules),
  });
  const records = () => ledgerStore().list(exportSegmentRecord, { table: table() });

  before(async () => {
    const all = Array.from({ length: people }, (_, at) => at);
    await engine().put(orderManagement, orderCustomer, all.map(person));
    await engine().put(orderManagement, orderShipping, all.map(shipping));
  });

  it('shows no original value anywhere, counts what each rule did, and keeps keys and attributes in agreement', async () => {
    const done = await exportTable(environment('whole'), request());
    if (done.outcome !== 'complete') throw new Error('not complete');
    const text = await textsIn(join(folder(), 'whole'));
    for (const original of [
      '900.000',
      '90000',
      'Joaquim',
      'joaquim',
      'Figueiredo',
      'correio',
      '98765',
      'Laranjeiras',
      'Petrópolis',
      '25685',
    ]) {
      expect(text, original).not.to.contain(original);
    }
    expect(done.masked).to.include({ 'rule:0': people, 'rule:6': people, 'entity:CUSTOMER': people, 'entity:SHIPPING': people });
    const items = text.split('\n').flatMap((line) => (line.startsWith('{"Item"') ? [JSON.parse(line).Item] : []));
    expect(items).to.have.lengthOf((await itemsOf(engine(), orderManagement)).length);
    const customer = items.find((item) => item.PK.S.endsWith('#ORD-7') && item.cpf);
    expect(customer.cpf.S).to.equal(maskText('cpf', cpf(7), hash));
    expect(customer.SK.S).to.equal(`CUSTOMER#${customer.cpf.S}`);
    const sent = items.find((item) => item.PK.S.endsWith('#ORD-7') && item.city);
    expect(sent.SK.S).to.equal(`SHIPPING#${sent.city.S}#2025-01-09`);
    expect(sent['GSI2-PK'].S).to.equal(`CITY#${sent.city.S}`);
    expect(customer.address.M.city.S).to.equal(sent.city.S);
    for (const item of items) expect(keyProblems(orderManagement, item)).to.deep.equal([]);
    expect(await records()).to.deep.equal([]);
  });

  it('that was interrupted has left no original key in its target; the source’s ledger has it, and the next run goes on by it', async () => {
    const stop = new AbortController();
    const cut = environment('cut', {
      signal: stop.signal,
      records: {
        ...ledgerRecords(ledgerStore(), table()),
        write: async (id, segment, text) => {
          await ledgerRecords(ledgerStore(), table()).write(id, segment, text);
          if (text.includes('"cursor":{')) stop.abort();
        },
      },
    });
    const store: ExportEnvironment['store'] = { scan: (asked, signal) => cut.store.scan({ ...asked, Limit: 5 }, signal) };
    const ended = await exportTable({ ...cut, store }, request());
    expect(ended.outcome).to.equal('interrupted');
    const left = await textsIn(join(folder(), 'cut'));
    expect(left).to.contain('plan.json').and.not.to.contain('segment-');
    for (const original of ['900.000', 'Petrópolis', 'Joaquim']) expect(left, original).not.to.contain(original);
    const kept = await records();
    expect(kept).not.to.have.lengthOf(0);
    expect(kept.map(({ progress }) => progress).join()).to.match(/"cursor":\{"(PK|SK)"/);
    const again = await exportTable(environment('cut'), request());
    if (again.outcome !== 'complete') throw new Error('not complete');
    expect(again).to.include({ resumed: true, items: people * 2 });
    expect(again.masked).to.include({ 'rule:0': people, 'entity:SHIPPING': people });
    expect(await records()).to.deep.equal([]);
  });

  it('is no export when two keys would become one, and names the masked key', async () => {
    const one = buildItem(orderManagement, orderCustomer, person(1));
    const two = { ...one, SK: { S: `CUSTOMER#${cpf(1)}-B` } };
    await engine().putRaw(orderManagement, [two]);
    const mask = exportMask(file);
    const blind: ExportMask = {
      ...mask,
      masker: () => ({ ...mask.masker(), apply: (item) => (item.cpf === undefined ? item : { ...one }) }),
    };
    const error = await failureOf(exportTable(environment('same'), { ...request(), mask: blind }));
    expect(error.code).to.equal('BAD_ARGUMENT');
    expect(error.message)
      .to.contain('masking would make one record of several')
      .and.to.contain('more than one record has the masked key');
    expect(await textsIn(join(folder(), 'same'))).not.to.contain('manifest-summary.json');
    const sound = await exportTable(environment('sound'), request());
    if (sound.outcome !== 'complete') throw new Error('not complete');
    expect(sound.masked).to.include({ 'disagree:CUSTOMER.cpf': 1 });
    await engine().removeRaw(orderManagement, [two]);
  });

  it('is no export when a rule matched nothing', async () => {
    const rules = maskFile([
      ...file.rules,
      { attribute: 'nick', as: 'name', undeclared: true, table: 'order-management', entity: 'CUSTOMER' },
    ]);
    const error = await failureOf(exportTable(environment('nothing'), request(rules)));
    expect(error.problems).to.deep.equal([
      `rule 8: order-management/CUSTOMER nick as name: matched nothing in ${people} records that could have it; optional: true if that is no mistake`,
    ]);
    expect(await textsIn(join(folder(), 'nothing'))).not.to.contain('manifest-summary.json');
  });
});
