import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Codebase } from '../../../engine/audit/codebase.ts';
import { findUsage } from '../../../engine/audit/find-usage.ts';
import { isKeyed, parseSelect } from '../../../engine/audit/partiql.ts';
import { project, tables } from '../../support/project.ts';
import { linkProject } from '../../support/project-folder.ts';
import { repository, runCli } from '../../support/run-cli.ts';

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly message: { readonly text: string };
      readonly locations: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string };
          readonly region: { readonly startLine: number };
        };
      }[];
      readonly suppressions?: readonly { readonly justification: string }[];
    }[];
  }[];
}

const folder = join(repository, 'tests/engine/audit');

describe('audit at the command line', () => {
  it('prints what to write instead, and fails only when it is asked to', async () => {
    const plain = await runCli(folder, ['audit', 'scans', 'mvp', '--fail']);
    expect(plain.code).to.equal(1);
    expect(plain.stdout).to.contain(
      [
        'mvp/api/orders.ts:9:24',
        '  scan() reads the whole table. Table orders.',
        '  Filter: owner = :o (filtered after everything was read).',
        "  Write: reader.read('markets.orders.byOwner', { owner: user.wallet })",
      ].join('\n'),
    );
    expect(plain.stdout).to.match(/\n22 Scans in 14 files, 1 more allowed\.\n$/);
    expect((await runCli(folder, ['audit', 'scans', 'mvp/web/not-scans.ts', '--fail'])).code).to.equal(0);
  });

  it('gives JSON and SARIF, with what is allowed suppressed', async () => {
    const json = await runCli(folder, ['audit', 'scans', 'mvp', '--format', 'json']);
    expect(json.code).to.equal(0);
    expect(JSON.parse(json.stdout)).to.deep.include({ files: 14, scans: 22 });
    const sarif: Sarif = JSON.parse((await runCli(folder, ['audit', 'scans', 'mvp', '--format', 'sarif'])).stdout);
    expect(sarif.version).to.equal('2.1.0');
    const [run] = sarif.runs;
    expect(run?.results).to.have.length(23);
    for (const { ruleId, ruleIndex, locations } of run?.results ?? []) {
      expect(run?.tool.driver.rules[ruleIndex]?.id).to.equal(ruleId);
      expect(locations[0]?.physicalLocation.artifactLocation.uri).to.match(/^mvp\//);
      expect(locations[0]?.physicalLocation.region.startLine).to.be.greaterThan(0);
    }
    const suppressed = run?.results.flatMap(({ suppressions }) => suppressions ?? []);
    expect(suppressed?.map(({ justification }) => justification)).to.deep.equal(['the nightly export wants every record']);
  });

  it('names every path that is not there', async () => {
    const { code, stderr } = await runCli(folder, ['audit', 'scans', 'mvp', 'nowhere', 'neither']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('nowhere: there is no such file or folder').and.to.contain('neither: there is no such file');
  });

  it('lists the patterns and indexes that an application does not use', async () => {
    const place = await mkdtemp(join(tmpdir(), 'tablewright-audit-'));
    try {
      const text = `import { openReader } from 'tablewright';
        export const book = (reader) => reader.read('markets.orders.bestBids', { marketId: 'm' });`;
      await linkProject(place);
      await symlink(join(repository, 'tables'), join(place, 'tables'));
      await writeFile(join(place, 'app.js'), text);
      const { stdout, code } = await runCli(place, ['audit', 'usage', '.', '--json', '--fail']);
      expect(code).to.equal(1);
      const names = (JSON.parse(stdout).unused as { readonly name: string }[]).map(({ name }) => name);
      expect(names).to.include('markets.orders.bestAsks').and.to.include('orders_by_market_sell');
      expect(names).not.to.include('markets.orders.bestBids').and.not.to.include('orders_by_market_buy');
      // Only operations read these.
      expect(names).not.to.include('oms.trading.orderExists').and.not.to.include('markets.orders.byId');
    } finally {
      await rm(place, { recursive: true });
    }
  });
});

describe('audit usage', () => {
  const unused = (text: string) =>
    findUsage(new Codebase([{ path: 'a.ts', text }]), { tables: project.tables, catalogue: tables }).unused.map(
      ({ name, reason }) => `${name}: ${reason}`,
    );

  it('finds patterns by name, by reference and through another name of the table', () => {
    const found = unused(`import { trades as t, marketOrders } from '../tables/catalogue.ts';
      const table = marketOrders;
      run(t.patterns.byMarket, table.patterns.byOwner, 'markets.markets.byStatus');`);
    expect(found.join('\n')).not.to.match(
      /trades\.byMarket|orders\.byOwner|markets\.byStatus|trades_by_market|orders_by_owner|markets_by_status/,
    );
    expect(found).to.include('markets.trades.byPosition: no code reads it');
    expect(found).to.include('trades_by_position: only markets.trades.byPosition, unused, would read it');
  });

  it('takes an index that raw code queries for used', () => {
    const found = unused("q({ TableName: 'trades', IndexName: 'trades_by_position' })");
    expect(found.some((line) => line.startsWith('trades_by_position:'))).to.equal(false);
    expect(found).to.include('markets.trades.byPosition: no code reads it');
  });
});

describe('PartiQL SELECT', () => {
  const keyed = (statement: string) => {
    const select = parseSelect(statement);
    return select === undefined ? undefined : isKeyed(select, 'id');
  };

  it('is a full scan unless every alternative has the partition key by equality or IN', () => {
    expect(keyed('SELECT * FROM "Orders" WHERE id = 100')).to.equal(true);
    expect(keyed(`SELECT * FROM "Orders" WHERE id = 100 and Address = 'a or b'`)).to.equal(true);
    expect(keyed('SELECT * FROM Orders WHERE id = 100 OR id = 200')).to.equal(true);
    expect(keyed('SELECT * FROM Orders WHERE (id = 100 AND x = 1) OR (id = 200)')).to.equal(true);
    expect(keyed('select id from Orders where "id" IN [1, 2] AND p BETWEEN 1 AND 2 ORDER BY id DESC')).to.equal(true);
    expect(keyed('SELECT * FROM Orders WHERE id > 1')).to.equal(false);
    expect(keyed(`SELECT * FROM Orders WHERE Address = 'some id = 1'`)).to.equal(false);
    expect(keyed('SELECT * FROM Orders WHERE id = 100 OR Address = 2')).to.equal(false);
    expect(keyed('SELECT * FROM Orders')).to.equal(false);
    expect(keyed('SELECT * FROM Orders WHERE begins_with(id, ?)')).to.equal(false);
    expect(keyed(`UPDATE Orders SET a = 1 WHERE id = 1`)).to.equal(undefined);
    expect(keyed(`INSERT INTO Orders value {'id': 'SELECT'}`)).to.equal(undefined);
  });

  it('names table and index', () => {
    expect(parseSelect('SELECT * FROM "orders"."orders_by_owner" WHERE gsi3pk = ?')).to.deep.include({
      table: 'orders',
      index: 'orders_by_owner',
    });
  });
});
