import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { type DynamoDBClient, dynamoClient, localCredentials } from '../../engine/aws/clients.ts';
import { s3Client } from '../../engine/aws/command-clients.ts';
import { freePort } from '../../engine/local/shared-service.ts';
import { type Copy, copyRepository } from '../support/copy-repository.ts';
import { repository, runCli } from '../support/run-cli.ts';

interface Summary {
  readonly event: string;
  readonly total: number;
  readonly failed: number;
  readonly patterns: readonly {
    readonly pattern: string;
    readonly items: number;
    readonly error: string | null;
    readonly empty?: true;
  }[];
}

const lastLine = (text: string) => JSON.parse(text.trim().split('\n').at(-1) ?? '{}') as Summary;

describe('up', function () {
  this.timeout(180_000);
  let copy: Copy;

  before(async () => {
    copy = await copyRepository();
  });

  after(() => copy.remove());

  const run = (...args: readonly string[]) => runCli(copy.root, args, { bin: copy.bin });

  it('makes every table, loads the fixtures and finds records by every access pattern', async () => {
    const { code, stdout, stderr } = await run('up', '--json');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    const summary = lastLine(stdout);
    expect(summary.patterns.filter(({ items, error, empty }) => (items === 0 && !empty) || error !== null)).to.deep.equal([]);
    expect(summary.total).to.be.at.least(43);
  });

  it('prints what the README shows, whatever the catalogue has', async () => {
    const { stdout } = await run('up');
    const shown = (text: string) =>
      text
        .split('\n')
        .filter((line) => /^(Tables|Seeds|Migrations|Cut-over) /.test(line))
        .map((line) => line.replace(/: .* \(/, ': … (').replaceAll(/\d+/g, 'N'));
    const block = /```\n(Engine [\s\S]*?)```/.exec(await readFile(join(repository, 'README.md'), 'utf8'))?.[1] ?? '';
    expect(shown(block)).to.have.length(4);
    expect(shown(stdout)).to.deep.equal(shown(block));
  });

  it('run again is harmless: every pattern finds what it found before', async () => {
    const before = lastLine((await run('up', '--json')).stdout).patterns;
    const again = lastLine((await run('up', '--json')).stdout).patterns;
    expect(again).to.deep.equal(before);
  });

  it('query prints exact digits, one JSON record a line', async () => {
    const { code, stdout } = await run('query', 'oms.trading.orderById', 'orderId=order_456', '--json');
    expect(code).to.equal(0);
    const lines = stdout.trim().split('\n');
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0] ?? '')).to.include({
      PK: 'CLIENT#client_123',
      SK: 'ORDER#2025-11-14T10:30:00Z#order_456',
      quantity: 1.5,
      price: 45000,
    });
  });

  describe('--keep', () => {
    let child: ChildProcess;
    let client: DynamoDBClient;
    let s3 = '';
    let link = '';

    before(async () => {
      const port = await freePort();
      child = spawn(process.execPath, [copy.bin, 'up', '--keep', '--port', String(port), '--json'], {
        cwd: copy.root,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      for await (const chunk of child.stdout ?? []) {
        printed += String(chunk);
        if (printed.includes('"event":"ready"')) break;
      }
      expect(JSON.parse(printed.trim().split('\n').at(-1) ?? '{}')).to.include({
        event: 'ready',
        dynamodb: `http://127.0.0.1:${port}`,
      });
      const ready = JSON.parse(printed.trim().split('\n').at(-1) ?? '{}') as { readonly s3: string; readonly console: string };
      s3 = ready.s3;
      link = ready.console;
      const endpoint = `http://127.0.0.1:${port}`;
      client = dynamoClient({ region: 'us-east-1', endpoint });
    });

    after(() => {
      client?.destroy();
      child?.kill('SIGKILL');
    });

    const queryBy = (index: string | undefined, names: readonly [string, string?], values: readonly [string, string?]) =>
      client.send(
        new QueryCommand({
          TableName: 'oms_trading_data_dev',
          ...(index === undefined ? {} : { IndexName: index }),
          KeyConditionExpression:
            names[1] === undefined ? `${names[0]} = :pk` : `${names[0]} = :pk AND begins_with(${names[1]}, :sk)`,
          ExpressionAttributeValues: { ':pk': { S: values[0] }, ...(values[1] === undefined ? {} : { ':sk': { S: values[1] } }) },
        }),
      );

    it('prints the link of a console, which is there', async () => {
      const { origin, hash } = new URL(link);
      expect(hash).to.match(/^#token=/);
      expect((await fetch(origin)).status).to.equal(200);
    });

    it('serves the documented queries as they stand in the sources', async () => {
      const documented = [
        [undefined, ['PK', 'SK'], ['CLIENT#client_123', 'ORDER#'], 'ORDER#2025-11-14T10:30:00Z#order_456'],
        ['GSI1', ['GSI1_PK'], ['PRODUCT#prod_001'], 'ORDER#2025-11-14T10:30:00Z#order_456'],
        ['GSI2', ['GSI2_PK'], ['MASTER_ORDER#master_789'], 'ORDER#2025-11-14T10:30:00Z#order_456'],
        ['GSI3', ['GSI3_PK'], ['ORDER#order_456'], 'EXECUTION#2025-11-14T10:31:00Z#exec_111'],
        [undefined, ['PK', 'SK'], ['CLIENT#client_123', 'POSITION#'], 'POSITION#BTCUSDT#LONG'],
      ] as const;
      for (const [index, names, values, sortKey] of documented) {
        const { Items = [] } = await queryBy(index, names, values);
        expect(
          Items.map((item) => item.SK?.S),
          `${index ?? 'table'} ${values[0]}`,
        ).to.include(sortKey);
      }
      const { Items: ofAnalyst = [] } = await queryBy('GSI1', ['GSI1_PK'], ['ANALYST#analyst_001']);
      expect(ofAnalyst).not.to.have.length(0);
      const { Item } = await client.send(
        new GetItemCommand({ TableName: 'oms_config_dev', Key: { PK: { S: 'PRODUCT#1' }, SK: { S: 'CONFIG' } } }),
      );
      expect(Item?.entity_type).to.deep.equal({ S: 'PRODUCT' });
    });

    it('serves S3 beside it from the first moment, as aws s3 ls asks with the printed keys', async () => {
      const objects = await s3Client({ region: 'us-east-1', endpoint: s3, credentials: localCredentials });
      expect((await objects.send(new ListBucketsCommand({}))).Buckets).to.deep.equal([]);
      objects.destroy();
    });

    it('takes the documented status update', async () => {
      const key = { PK: { S: 'CLIENT#client_123' }, SK: { S: 'ORDER#2025-11-14T10:30:00Z#order_456' } };
      await client.send(
        new UpdateItemCommand({
          TableName: 'oms_trading_data_dev',
          Key: key,
          UpdateExpression: 'SET #status = :status, updated_at = :updated',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':status': { S: 'FILLED' }, ':updated': { S: '14/11/2025 10:31:00' } },
        }),
      );
      const { Item } = await client.send(new GetItemCommand({ TableName: 'oms_trading_data_dev', Key: key }));
      expect(Item?.updated_at).to.deep.equal({ S: '14/11/2025 10:31:00' });
    });

    it('rejects the documented listing as DynamoDB does; its pattern serves it', async () => {
      const listing = client.send(
        new QueryCommand({
          TableName: 'oms_config_dev',
          KeyConditionExpression: 'begins_with(PK, :pk) AND SK = :sk',
          ExpressionAttributeValues: { ':pk': { S: 'PRODUCT#' }, ':sk': { S: 'CONFIG' } },
        }),
      );
      expect(
        await listing.then(
          () => 'taken',
          (error: Error) => error.name,
        ),
      ).to.equal('ValidationException');
      const { stdout } = await run('query', 'oms.config.allProducts', '--json');
      expect(stdout).to.contain('"PRODUCT#1"').and.to.contain('"PRODUCT#prod_001"');
    });

    it('is shared by other commands, refuses --fresh meanwhile, and ends on Ctrl-C with 0', async () => {
      expect((await run('doctor')).stdout).to.match(
        /^Stack local: all \d+ tables are as the catalogue says\.\nNot offered by this server: point-in-time recovery, backups\.\n$/,
      );
      const fresh = await run('up', '--fresh');
      expect(fresh.code).to.equal(3);
      expect(fresh.stderr).to.match(/^CONFLICT: the local dynamodb is in use by another tablewright command/);
      child.kill('SIGINT');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).to.equal(0);
    });
  });
});
