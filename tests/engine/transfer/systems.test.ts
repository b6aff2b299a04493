import { copyFile, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import { readStack } from '../../../engine/cli/read-stack.ts';
import { fromJsonItem } from '../../../engine/core/item/dynamo-json.ts';
import type { Service } from '../../../engine/local/shared-service.ts';
import { ensureTable } from '../../../engine/run/tables/ensure-tables.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { openTestDynamo } from '../../support/open-engine.ts';
import { project, tables } from '../../support/project.ts';
import { repository, runCli } from '../../support/run-cli.ts';

/** One table of each system; every command runs as a user runs it. */
const chosen = ['oms_trading_data', 'orders', 'crypto-backtest-results', 'order-management'];

describe('the tables of all four systems after up', () => {
  let root = '';
  let empty: Service;

  before(async function () {
    this.timeout(180_000);
    root = await mkdtemp(join(tmpdir(), 'tablewright-systems-'));
    for (const file of ['Pulumi.dev.yaml', 'Pulumi.prod.yaml']) await copyFile(join(repository, file), join(root, file));
    for (const folder of ['seeds', 'migrations', 'tablewright.config.ts'])
      await symlink(join(repository, folder), join(root, folder));
    const up = await runCli(root, ['up', '--quiet']);
    expect(up.code, up.stderr).to.equal(0);
    empty = await openTestDynamo();
    const config = await readStack('local', root, tables, project);
    const client = dynamoClient({ region: config.region, endpoint: empty.endpoint });
    for (const table of tables) await ensureTable({ store: dynamoStore(client), config, sleep }, table);
    client.destroy();
  });

  after(async () => {
    await empty?.release();
    await rm(root, { recursive: true, force: true });
  });

  it('are each exported and imported into an empty stack, and every item there is the same', async function () {
    this.timeout(180_000);
    expect(new Set(chosen.map((name) => tables.find((table) => table.name === name)?.system)).size).to.equal(4);
    for (const name of chosen) {
      const exported = await runCli(root, ['export', name, '--to', `out/${name}`, '--json']);
      expect(exported.code, exported.stderr).to.equal(0);
      const done = lastLine(exported.stdout);
      expect(done.items, name).to.be.greaterThan(3);
      const imported = await runCli(root, ['import', `out/${name}`, '--table', name, '--endpoint', empty.endpoint, '--json']);
      expect(imported.code, imported.stderr).to.equal(0);
      expect(lastLine(imported.stdout), name).to.include({ outcome: 'complete', written: done.items, deadLettered: 0 });
      expect(await stored(name), name).to.deep.equal(await contents(exported.stdout));
    }
  });

  function lastLine(stdout: string) {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
  }

  async function stored(name: string): Promise<readonly string[]> {
    const config = await readStack('local', root, tables, project);
    const client = dynamoClient({ region: config.region, endpoint: empty.endpoint });
    const table = tables.find((one) => one.name === name) as (typeof tables)[number];
    const page = await dynamoStore(client).scan({ TableName: physicalName(table, config), ConsistentRead: true });
    client.destroy();
    return page.items.map(canonicalItem).toSorted();
  }

  /** The items of an export that a command has made, in one order. */
  async function contents(stdout: string): Promise<readonly string[]> {
    const data = join(root, lastLine(stdout).place, 'data');
    const lines: string[] = [];
    for (const name of await readdir(data))
      lines.push(
        ...gunzipSync(await readFile(join(data, name)))
          .toString()
          .trim()
          .split('\n'),
      );
    const items = lines.filter((line) => line !== '').map((line) => fromJsonItem(JSON.parse(line).Item) ?? {});
    return items.map(canonicalItem).toSorted();
  }

  it('say what is wrong with a command in one message with the next step', async () => {
    const wrong = await runCli(root, ['import', 'out/orders', '--table', 'order-management']);
    expect(wrong.code).to.equal(2);
    expect(wrong.stderr).to.match(
      /^BAD_EXPORT: out\/orders\/AWSDynamoDB\/[\d]+-[0-9a-f]+\/data\/s\d+-\d+\.json\.gz:1: the item does not fit the key/,
    );
    expect(wrong.stderr).to.contain('  - PK: the key attribute is missing').and.to.contain('\n→ ');
    const both = await runCli(root, ['import', 'out/orders', '--table', 'orders', '--if-newer', 'a', '--skip-existing']);
    expect(both).to.include({ code: 2 });
    expect((await runCli(root, ['export', 'nothing'])).stderr).to.match(
      /^UNKNOWN_NAME: there is no table nothing\n→ Use one of /,
    );
    const masked = await runCli(root, ['export', 'orders', '--to', 'x', '--mask', 'missing.json']);
    expect(masked.stderr).to.equal(
      'BAD_ARGUMENT: --mask missing.json: it is not there, or its folder is not (ENOENT)\n→ Check its name.\n',
    );
  });
});
