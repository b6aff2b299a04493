import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Codebase, type Source } from '../../../engine/audit/codebase.ts';
import { findScans } from '../../../engine/audit/find-scans.ts';
import { proposeIndex } from '../../../engine/audit/propose-index.ts';
import type { Table } from '../../../tables/model/table.ts';
import { tables } from '../../support/project.ts';

const folder = fileURLToPath(new URL('./mvp', import.meta.url));

const sources: readonly Source[] = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .toSorted()
  .map((path) => ({ path: relative(folder, path), text: readFileSync(path, 'utf8') }));

/** The fixture says on each line what is to be found there: rule, table, pattern. */
const expected = sources.flatMap(({ path, text }) =>
  text.split('\n').flatMap((line, at) => {
    const mark = /\/\/ finds: (\S+) (\S+) (\S+)( allowed)?/.exec(line);
    return mark === null ? [] : [`${path}:${at + 1} ${mark[1]} ${mark[2]} ${mark[3]}${mark[4] ?? ''}`];
  }),
);

const audit = (...given: readonly Source[]) => findScans(new Codebase(given), tables);

describe('audit scans', () => {
  const found = audit(...sources);
  const at = (file: string, nth = 0) => found.filter((finding) => finding.file === file)[nth];

  it('finds every use of Scan in a code base written as the MVP, with table and pattern, and nothing else', () => {
    const lines = found.map(({ file, line, rule, table, replacements, allowed }) => {
      const pattern = replacements.length === 1 ? replacements[0]?.pattern : '-';
      return `${file}:${line} ${rule} ${table ?? '-'} ${pattern}${allowed === null ? '' : ' allowed'}`;
    });
    expect(expected.length).to.be.greaterThan(20);
    expect(lines.toSorted()).to.deep.equal(expected.toSorted());
  });

  it('says which filter, with the attribute names put in, and who applies it', () => {
    expect(at('api/markets.ts')).to.deep.include({ filter: 'status = :s', filteredBy: 'dynamodb' });
    expect(at('web/home.tsx')).to.deep.include({ filter: "status = 'Active'", filteredBy: 'client' });
    expect(at('api/positions.js', 1)?.filter).to.equal('owner = owner AND marketId = marketId');
    expect(at('api/trades.ts', 2)?.filter).to.equal(null);
  });

  it('writes the call that replaces it, with the values of the source', () => {
    const calls = (file: string, nth = 0) => at(file, nth)?.replacements.map(({ call }) => call);
    expect(calls('api/orders.ts')).to.deep.equal(["reader.read('markets.orders.byOwner', { owner: user.wallet })"]);
    expect(calls('api/orders.ts', 1)).to.deep.equal(["reader.first('markets.orders.byId', { id })"]);
    expect(calls('api/order-book.ts')).to.deep.equal(["reader.read('markets.orders.bestBids', { marketId })"]);
    expect(calls('web/home.tsx')).to.deep.equal(["reader.read('markets.markets.byStatus', { status: 'Active' })"]);
    expect(calls('oms/products.ts')).to.deep.equal(["reader.read('oms.config.allProducts')"]);
    expect(calls('oms/products.ts', 1)).to.deep.equal(["reader.read('oms.trading.ordersOfClient', { clientId })"]);
    expect(calls('indexer/control.cjs', 1)).to.deep.equal(["reader.first('markets.control.claimOf', { signature })"]);
    expect(calls('indexer/partiql.ts')).to.deep.equal(["reader.read('markets.orders.bestBids', { marketId })"]);
  });

  it('names the table’s patterns where none fits, and what a pattern would leave to the caller', () => {
    expect(at('api/trades.ts', 2)?.candidates).to.deep.equal(['markets.trades.byMarket', 'markets.trades.byPosition']);
    const [extra] = audit({
      path: 'a.ts',
      text: `import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
        DynamoDBDocument.from(c).scan({ TableName: 'trades', FilterExpression: 'marketId = :m AND price > :p', ExpressionAttributeValues: { ':m': m, ':p': least } });`,
    });
    expect(extra?.replacements).to.deep.equal([
      {
        pattern: 'markets.trades.byMarket',
        call: "reader.read('markets.trades.byMarket', { marketId: m })",
        leftOver: ['price > least'],
      },
    ]);
  });

  it('offers both sides of the book where the Scan asks for neither', () => {
    const [both] = audit({
      path: 'a.ts',
      text: `import { ScanCommand } from '@aws-sdk/lib-dynamodb';
        new ScanCommand({ TableName: 'orders', FilterExpression: 'marketId = :m', ExpressionAttributeValues: { ':m': m } });`,
    });
    expect(both?.replacements.map(({ pattern }) => pattern)).to.deep.equal([
      'markets.orders.bestBids',
      'markets.orders.bestAsks',
    ]);
  });

  it('says when a table is guessed by the name of a variable', () => {
    expect(at('api/positions.js')).to.deep.include({ table: 'positions', guessed: true });
    expect(at('api/orders.ts')).to.deep.include({ table: 'orders', guessed: false });
  });

  it('asks the callers of a helper for its table', () => {
    expect(at('services/market-service.ts', 2)?.callers).to.deep.equal([
      { file: 'services/market-service.ts', line: 34, table: 'trades' },
      { file: 'web/report.js', line: 4, table: 'markets' },
    ]);
  });

  it('proposes an index on the attributes of equality filters, as code, where no pattern fits', () => {
    const [finding] = audit({
      path: 'by-side.ts',
      text: `import { ScanCommand } from '@aws-sdk/client-dynamodb';
        new ScanCommand({
          TableName: 'orders',
          FilterExpression: 'side = :side AND #status = :status AND createdAt > :since',
          ExpressionAttributeNames: { '#status': 'status' },
        });`,
    });
    expect(finding?.replacements).to.deep.equal([]);
    expect(finding?.proposal).to.deep.equal({
      index: "BySideStatusCreatedAt: { hash: ['side', 'status'], range: 'createdAt' }",
      key: "[is('side', '{side}'), is('status', '{status}'), window('createdAt', { from: '{from}', to: '{to}' })]",
    });
  });

  it('takes alternatives and denials for no equality, and sees what stands beside them', () => {
    const proposed = (filter: string) => {
      const [finding] = audit({
        path: 'a.ts',
        text: `import { ScanCommand } from '@aws-sdk/client-dynamodb';
          new ScanCommand({ TableName: 'orders', FilterExpression: '${filter}' });`,
      });
      return [finding?.replacements.length, finding?.proposal?.index];
    };
    expect(proposed('side = :side OR createdAt = :at')).to.deep.equal([0, undefined]);
    expect(proposed('NOT side = :side')).to.deep.equal([0, undefined]);
    expect(proposed('NOT (side = :side AND createdAt = :at)')).to.deep.equal([0, undefined]);
    expect(proposed('marketId = :a OR marketId = :b')).to.deep.equal([0, undefined]);
    expect(proposed('(side = :a OR side = :b) AND #status = :s')[1]).to.equal(undefined);
    expect(proposed('(side = :a OR side = :b) AND createdAt = :s')).to.deep.equal([0, "ByCreatedAt: { hash: 'createdAt' }"]);
    expect(proposed('side = :a AND createdAt BETWEEN :from AND :to')).to.deep.equal([
      0,
      "BySideCreatedAt: { hash: 'side', range: 'createdAt' }",
    ]);
    expect(proposed('((side = :a AND (createdAt > :from)))')[1]).to.equal(
      "BySideCreatedAt: { hash: 'side', range: 'createdAt' }",
    );
  });

  it('reads the program’s own filter in the same way', () => {
    const proposed = (filter: string) => {
      const [finding] = audit({
        path: 'a.ts',
        text: `import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
          const of = async () => (await DynamoDBDocument.from(c).scan({ TableName: 'orders' })).Items.filter(${filter});`,
      });
      return finding?.proposal?.index;
    };
    expect(proposed('(o) => o.side === side && o.createdAt === at')).to.equal("BySideCreatedAt: { hash: ['side', 'createdAt'] }");
    expect(proposed('(o) => o.side === side || o.createdAt === at')).to.equal(undefined);
    expect(proposed('(o) => !(o.side === side)')).to.equal(undefined);
    expect(proposed('(o) => o.side === side && (o.createdAt === a || o.createdAt === b)')).to.equal("BySide: { hash: 'side' }");
  });

  it('proposes no name that another index has', () => {
    const [orders] = tables.filter(({ name }) => name === 'orders');
    const named = {
      ...orders,
      indexes: [{ name: 'BySide', hash: [{ name: 'gsi9pk', type: 'S' }], range: [], projection: 'ALL' }],
    };
    expect(proposeIndex(named as unknown as Table, [{ attribute: 'side', op: '=' }])?.index).to.equal(
      "BySide2: { hash: 'side' }",
    );
  });

  it('goes on through code that does not compile', () => {
    const [finding] = audit({
      path: 'broken.ts',
      text: `import { ScanCommand } from '@aws-sdk/client-dynamodb';\nconst x = ;\nnew ScanCommand({ TableName: 'orders' }`,
    });
    expect(finding).to.deep.include({ rule: 'scan-command', line: 3, table: 'orders' });
  });

  it('ends on names that refer to themselves', () => {
    const text = `import { ScanCommand } from '@aws-sdk/client-dynamodb';
      const a = b; const b = a; const o = { ...o };
      new ScanCommand({ ...o, TableName: a });`;
    expect(audit({ path: 'cycle.ts', text })).to.have.length(1);
    const one = { path: 'one.ts', text: "export * from './two'; export { x } from './two';" };
    const two = { path: 'two.ts', text: "export * from './one'; import { x } from './one'; x.scan({});" };
    expect(audit(one, two)).to.deep.equal([]);
  });
});
