import { expect } from 'chai';
import { subjectFinder } from '../../../engine/core/transfer/mask/subject-records.ts';
import { LedgerStore } from '../../../engine/run/ledger/ledger-store.ts';
import { eraseSubject } from '../../../engine/run/transfer/subject/erase-subject.ts';
import { findSubject, type SubjectRecord } from '../../../engine/run/transfer/subject/find-subject.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { erasureRecord } from '../../../tables/model/ledger/transfer-records.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { client, omsConfig, setting } from '../../../tables/oms/config.ts';
import { omsTradingData, position } from '../../../tables/oms/trading-data.ts';
import { orderCustomer, orderManagement, orderMeta } from '../../../tables/order-management/order-management.ts';
import { useEngine } from '../../support/test-engine.ts';
import { contentOf, itemsOf } from '../../support/transfer-bed.ts';

const searched: readonly Table[] = [omsConfig, omsTradingData, orderManagement];
const held = {
  product_id: 'p1',
  symbol: 'BTCUSDT',
  side: 'LONG',
  quantity: '1',
  avg_entry_price: '1',
  unrealized_pnl: '0',
  realized_pnl: '0',
  last_updated: '14/11/2025 10:00:00',
} as const;
const order = { company_cnpj: '12.345.678/0001-99', order_id: 'ORD-1' };
const address = { street: 'Rua', number: '1', neighborhood: 'N', city: 'C', state: 'S', zip_code: '1' };
const person = { cpf: '529.982.247-25', first_name: 'Ana', last_name: 'Luz', email: 'ana@x.com', phone: '1', address };

describe('a person', () => {
  const engine = useEngine([...searched, ledger]);
  const found = async (id: string, by?: string): Promise<readonly SubjectRecord[]> => {
    const records: SubjectRecord[] = [];
    const tables = searched.map((table) => ({ table, tableName: physicalName(table, engine().config) }));
    for await (const record of findSubject(engine().environment, tables, subjectFinder(id, by), () => undefined))
      records.push(record);
    return records;
  };
  const shown = (records: readonly SubjectRecord[]) =>
    records
      .map(({ entity, tie }) => `${entity} ${tie.kind === 'own' ? `by ${tie.by.join()}` : `in ${tie.in.join()}`}`)
      .toSorted();
  const ledgerStore = () => {
    const { store, names, gates, writeGates, sleep, random } = engine().environment;
    return new LedgerStore({ store, names, gates, writeGates, sleep, random });
  };
  const erase = async (records: readonly SubjectRecord[], signal?: AbortSignal) => {
    const { store, writeGates, sleep, random } = engine().environment;
    return eraseSubject(
      { store, writeGates, sleep, random, ledger: ledgerStore(), nowMs: Date.now, id: 'e1', by: 'somebody', signal },
      records,
    );
  };

  beforeEach(async () => {
    for (const table of searched) await engine().removeRaw(table, await itemsOf(engine(), table));
    await engine().put(omsConfig, client, [
      { client_id: 'maria-7', name: 'Maria', status: 'ACTIVE' },
      { client_id: 'other-8', name: 'Other', status: 'ACTIVE' },
    ]);
    await engine().put(omsConfig, setting, [{ name: 'vip', value: 'MARIA-7, other-8' }]);
    await engine().put(omsTradingData, position, [
      { client_id: 'maria-7', ...held },
      { client_id: 'other-8', ...held },
    ]);
    await engine().put(orderManagement, orderMeta, [
      { ...order, company_name: 'A', order_date: '2025-01-01T00:00:00Z', notes: 'cpf 52998224725' },
    ]);
    await engine().put(orderManagement, orderCustomer, [{ ...order, ...person }]);
  });

  it('is found in every table by key, index and reference, and where others mention the ID in another spelling', async () => {
    expect(shown(await found('maria-7'))).to.deep.equal(['CLIENT by client_id', 'POSITION by client_id', 'SETTING in value']);
    expect(shown(await found('529.982.247-25'))).to.deep.equal(['CUSTOMER by cpf', 'META in notes']);
    expect(shown(await found('529.982.247-25', 'email'))).to.deep.equal(['CUSTOMER in SK,cpf', 'META in notes']);
    expect(await found('nobody-at-all')).to.deep.equal([]);
    expect(await found(`nobody@${person.email.split('@')[1]}`), 'one domain is many people’s').to.deep.equal([]);
  });

  it('is erased and nobody else; what is left of it is a count in the ledger', async () => {
    const records = await found('maria-7');
    const done = await erase(records.filter(({ tie }) => tie.kind === 'own'));
    expect(done).to.deep.equal({
      outcome: 'complete',
      id: 'e1',
      removed: { 'oms_config/CLIENT': 1, 'oms_trading_data/POSITION': 1 },
      left: 0,
    });
    expect(shown(await found('maria-7'))).to.deep.equal(['SETTING in value']);
    expect(await itemsOf(engine(), omsConfig)).to.have.lengthOf(2);
    expect(await itemsOf(engine(), omsTradingData)).to.have.lengthOf(1);
    const [kept] = await ledgerStore().list(erasureRecord, {});
    expect(kept).to.include({ state: 'complete', left: 0, by: 'somebody' });
    expect(kept?.removed).to.deep.equal({ 'oms_config/CLIENT': 1, 'oms_trading_data/POSITION': 1 });
    expect((await contentOf(engine(), ledger)).join()).not.to.match(/maria/i);
  });

  it('whose record was given to somebody else meanwhile keeps that one, and one that is gone is no failure', async () => {
    const records = (await found('maria-7')).filter(({ tie }) => tie.kind === 'own');
    const own = buildItem(omsTradingData, position, { client_id: 'maria-7', ...held });
    await engine().putRaw(omsTradingData, [{ ...own, client_id: { S: 'other-8' } }]);
    await engine().removeRaw(omsConfig, [buildItem(omsConfig, client, { client_id: 'maria-7', name: 'x', status: 'x' })]);
    expect(await erase(records)).to.deep.equal({ outcome: 'complete', id: 'e1', removed: {}, left: 2 });
    expect(await itemsOf(engine(), omsTradingData)).to.have.lengthOf(2);
  });

  it('that was half erased is found again with what is left', async () => {
    const records = (await found('maria-7')).filter(({ tie }) => tie.kind === 'own');
    const stop = new AbortController();
    await erase(records.slice(0, 1));
    stop.abort();
    expect(await erase(records.slice(1), stop.signal)).to.include({ outcome: 'interrupted' });
    expect(shown(await found('maria-7'))).to.deep.equal(['POSITION by client_id', 'SETTING in value']);
  });
});
