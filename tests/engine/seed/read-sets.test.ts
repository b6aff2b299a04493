import { expect } from 'chai';
import { findSets } from '../../../engine/cli/seed/find-sets.ts';
import { readSets } from '../../../engine/cli/seed/read-sets.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { project } from '../../support/project.ts';
import { makeFolder, removeFolder, repository } from '../../support/seed-bench.ts';
import { resolveRows, rowsOf } from '../../support/seed-rows.ts';

const author = `${repository}/engine/author.ts`;
const tables = `${repository}/tables/catalogue.ts`;
const config = `${repository}/tables/oms/config.ts`;

const anchor = Date.parse('2026-11-16T12:00:00Z') / 1_000;

type Files = Readonly<Record<string, string | Buffer>>;

/** A repository with one set; `fixtures` is the TypeScript of its list. */
function setFiles(fixtures: string, files: Files): Files {
  const imports = `import { defineSeed, file, mixedFile, rawFile, records } from '${author}';
import { control, omsConfig, omsTradingData, orderManagement, scanHistory } from '${tables}';
import { client, product } from '${config}';`;
  const declaration = `${imports}\nexport default defineSeed({ description: 'd', stacks: ['local'], fixtures: [${fixtures}] });\n`;
  const own = Object.entries(files).map(([path, content]) => [`seeds/one/${path}`, content]);
  return { 'seeds/one/seed.ts': declaration, ...Object.fromEntries(own) };
}

describe('reading a seed set', () => {
  const folders: string[] = [];
  after(async () => {
    for (const folder of folders) await removeFolder(folder);
  });

  async function read(fixtures: string, files: Files) {
    const root = await makeFolder(setFiles(fixtures, files));
    folders.push(root);
    const all = await findSets({ root, project });
    const sets = await readSets(root, all, all, anchor);
    const declared = await Promise.all(sets.map((set) => rowsOf(set.declared)));
    return resolveRows(declared.flat(), anchor).rows.map((row) => row.item);
  }

  async function problemsOf(fixtures: string, files: Files): Promise<readonly string[]> {
    try {
      await read(fixtures, files);
    } catch (error) {
      expect(error).to.be.instanceOf(TablewrightError);
      expect((error as TablewrightError).code).to.equal('BAD_SEED');
      expect((error as TablewrightError).exitCode).to.equal(2);
      return (error as TablewrightError).problems;
    }
    throw new Error('the set was taken');
  }

  it('names file and line of every problem of every file at once', async () => {
    const problems = await problemsOf(
      `file(omsConfig, product, 'a.json'), file(omsConfig, client, 'b.csv'), mixedFile(omsTradingData, 'c.jsonl'), file(omsConfig, client, 'gone.csv')`,
      {
        'a.json':
          '[\n  { "product_id": "p1", "name": "n", "status": "ACTIVE" },\n  {\n    "product_id": 7,\n    "name": "",\n    "state": "ACTIVE"\n  }\n]\n',
        'b.csv': 'client_id,name,status\nc1,One,ACTIVE\nc2,Two\n',
        'c.jsonl':
          '{"$entity":"POSITION"\n{"$entity":"ODER"}\n\n{"$entity":"ORDER","order_id":"o","client_id":"c9","product_id":"p1","symbol":"S","side":"BUY","quantity":"1,5","status":"NEW","order_type":"LIMIT","created_at":"now-2x","updated_at":"now"}\n',
      },
    );
    expect(problems).to.deep.equal([
      'seeds/one/b.csv:3: expected 3 cells as in the header, found 2',
      'seeds/one/c.jsonl:1: not valid JSON: CloseBraceExpected',
      'seeds/one/c.jsonl:2: $entity: expected one of ORDER, EXECUTION, POSITION, ANALYST_ORDER, ORDER_ID, found "ODER"',
      'seeds/one/gone.csv: the file is not there; its seed.ts names it',
      'seeds/one/a.json:4: PRODUCT: product_id: expected a text, found the number 7',
      'seeds/one/a.json:5: PRODUCT: name: expected a text of at least one character',
      'seeds/one/a.json:3: PRODUCT: status: missing',
      'seeds/one/a.json:6: PRODUCT: state: unknown attribute; PRODUCT takes product_id, name, symbol, status',
      'seeds/one/c.jsonl:4: ORDER: created_at: expected a relative time such as now, now-2h or now+3d (units s, m, h, d, w), found "now-2x"',
      'seeds/one/c.jsonl:4: ORDER: quantity: expected a decimal, found "1,5": not a decimal number',
      'seeds/one/c.jsonl:4: ORDER: client_id: expected a oms_config/CLIENT with client_id "c9", found none',
    ]);
  });

  it('refuses a file that is not UTF-8, by file, line and column of the first byte that is none', async () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1');
    const problems = await problemsOf(
      `file(omsConfig, client, 'a.csv'), file(omsConfig, client, 'b.jsonl'), rawFile(omsConfig, 'c.json'), file(omsConfig, client, 'd.ts')`,
      {
        'a.csv': latin1('client_id,name,status\nc1,One,ACTIVE\nc2,M\u00fcller,ACTIVE\n'),
        // A whole character before it counts as one; the last one is cut in two.
        'b.jsonl': Buffer.from('{"client_id":"\u{1f9fe}é').subarray(0, -1),
        'c.json': Buffer.from('\ufeff[]', 'utf16le'),
        'd.ts': latin1("export default [{ client_id: 'c4', name: '\u00e9' }];"),
      },
    );
    const says = (byte: string) => `expected UTF-8 text, found the byte 0x${byte}; save the file as UTF-8`;
    expect(problems).to.deep.equal([
      `seeds/one/a.csv:3:5: ${says('FC')}`,
      `seeds/one/b.jsonl:1:16: ${says('C3')}`,
      `seeds/one/c.json:1:1: ${says('FF')}`,
      `seeds/one/d.ts:1:43: ${says('E9')}`,
    ]);
  });

  it('names what a record refers to and is not there', async () => {
    const order = { $entity: 'ORDER', order_id: 'o1', client_id: 'c1', product_id: 'p9', symbol: 'S', side: 'BUY', quantity: 1 };
    const rest = { status: 'NEW', order_type: 'LIMIT', created_at: 'now', updated_at: 'now' };
    const fill = { $entity: 'EXECUTION', execution_id: 'e', order_id: 'o2', client_id: 'c1', product_id: 'p1', symbol: 'S' };
    const problems = await problemsOf(
      `file(omsConfig, client, 'clients.csv'), file(omsConfig, product, 'products.csv'), mixedFile(omsTradingData, 't.jsonl')`,
      {
        'clients.csv': 'client_id,name,status\nc1,One,ACTIVE\n',
        'products.csv': 'product_id,name,status\np1,One,ACTIVE\n',
        't.jsonl': [
          { ...order, ...rest },
          { ...fill, side: 'BUY', quantity: 1, price: 1, commission: 0, executed_at: 'now' },
        ]
          .map((record) => JSON.stringify(record))
          .join('\n'),
      },
    );
    expect(problems).to.deep.equal([
      'seeds/one/t.jsonl:1: ORDER: product_id: expected a oms_config/PRODUCT with product_id "p9", found none',
      'seeds/one/t.jsonl:2: EXECUTION: order_id: expected a oms_trading_data/ORDER with order_id "o2", found none',
    ]);
  });

  it('takes an order of another company for another order', async () => {
    const header = 'company_cnpj,order_id,company_name,order_date\nA,o1,Casa A,2023-10-01T10:30:00Z\n';
    const problems = await problemsOf(`mixedFile(orderManagement, 'm.csv'), mixedFile(orderManagement, 's.csv')`, {
      'm.csv': `$entity,${header.replace('\nA,', '\nMETA,A,')}`,
      's.csv': '$entity,company_cnpj,order_id,order_status\nSTATUS,B,o1,Pendente\n',
    });
    expect(problems).to.deep.equal([
      'seeds/one/s.csv:2: STATUS: order_id: expected a order-management/META with order_id "o1" and company_cnpj "B", found none',
    ]);
  });

  it('finds two records with one key', async () => {
    const problems = await problemsOf(`file(omsConfig, client, 'clients.csv')`, {
      'clients.csv': 'client_id,name,status\nc1,One,ACTIVE\n"c1","One\nagain",ACTIVE\n',
    });
    expect(problems).to.deep.equal([
      'seeds/one/clients.csv:3: oms_config has this key twice; the first is at seeds/one/clients.csv:2',
    ]);
  });

  it('counts relative times in every spelling, also inside raw items', async () => {
    const items = await read(
      `mixedFile(omsTradingData, 'p.jsonl'), file(omsConfig, client, 'c.csv'), file(omsConfig, product, 'p.csv'), mixedFile(control, 'l.json'), rawFile(scanHistory, 'r.jsonl'), mixedFile(orderManagement, 'o.csv')`,
      {
        'c.csv': 'client_id,name,status\nc1,One,ACTIVE\n',
        'p.csv': 'product_id,name,status\np1,One,ACTIVE\n',
        'p.jsonl':
          '{"$entity":"POSITION","client_id":"c1","product_id":"p1","symbol":"S","side":"LONG","quantity":1,"avg_entry_price":1,"unrealized_pnl":0,"realized_pnl":0,"last_updated":"now-2h"}',
        'l.json': '[{ "$entity": "LOCK", "lockedBy": "i", "ttl": "now+1d" }]',
        'r.jsonl':
          '{"Item":{"scan_id":{"S":"scan-{now-1w:day}"},"at":{"N":"{now-1h+30m:epoch}"},"ms":{"N":"{now:ms}"},"br":{"S":"{now-1d:br}"}}}',
        'o.csv':
          '$entity,company_cnpj,order_id,company_name,order_date,shipping_method,shipping_cost,city,expected_delivery_date\nMETA,A,o,N,now-90s,,,,\nSHIPPING,A,o,,,Normal,0,X,now+3d\n',
      },
    );
    const [position, , , lock, raw, meta, shipping] = items;
    expect(position?.last_updated).to.deep.equal({ S: '16/11/2026 10:00:00' });
    expect(lock?.ttl).to.deep.equal({ N: String(anchor + 86_400) });
    expect(raw).to.deep.equal({
      scan_id: { S: 'scan-2026-11-09' },
      at: { N: String(anchor - 1_800) },
      ms: { N: `${anchor}000` },
      br: { S: '15/11/2026 12:00:00' },
    });
    expect(meta?.order_date).to.deep.equal({ S: '2026-11-16T11:58:30Z' });
    expect(shipping?.SK).to.deep.equal({ S: 'SHIPPING#X#2026-11-19' });
  });

  it('keeps every digit of a JSON number', async () => {
    const digits = '0.12345678901234567890123456789012345678';
    const [item] = await read(
      `file(omsConfig, client, 'c.csv'), file(omsConfig, product, 'p.csv'), mixedFile(omsTradingData, 't.json')`,
      {
        'c.csv': 'client_id,name,status\nc1,One,ACTIVE\n',
        'p.csv': 'product_id,name,status\np1,One,ACTIVE\n',
        't.json': `[{"$entity":"POSITION","client_id":"c1","product_id":"p1","symbol":"S","side":"LONG","quantity":${digits},"avg_entry_price":12345678901234567890.5,"unrealized_pnl":-0,"realized_pnl":1e3,"last_updated":"now"}]`,
      },
    ).then((items) => items.slice(-1));
    expect(item?.quantity).to.deep.equal({ N: digits });
    expect(item?.avg_entry_price).to.deep.equal({ N: '12345678901234567890.5' });
    expect(item?.realized_pnl).to.deep.equal({ N: '1000' });
  });

  it('refuses a name that stands twice in a JSON object', async () => {
    const problems = await problemsOf(`file(omsConfig, client, 'c.json')`, {
      'c.json': '[{ "client_id": "c1",\n "name": "One", "status": "ACTIVE",\n "name": "Two" }]',
    });
    expect(problems).to.deep.equal(['seeds/one/c.json:3: name stands twice in one object']);
  });

  it('takes records from TypeScript, and names them by number', async () => {
    const problems = await problemsOf(
      `records(omsConfig, client, [{ client_id: 'c1', name: 'One', status: 'A' }, { client_id: '', name: 'Two', status: 'A' }]), file(omsConfig, product, 'p.ts')`,
      { 'p.ts': `export default [{ product_id: 'p1', name: 'One', status: 4 }];` },
    );
    expect(problems).to.deep.equal([
      'seeds/one/seed.ts (record 2): CLIENT: client_id: expected a text of at least one character',
      'seeds/one/p.ts (record 1): PRODUCT: status: Invalid input: expected string, received number',
    ]);
  });
});
