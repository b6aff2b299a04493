import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { marketOrders, omsConfig, scanHistory } from '../../tables/catalogue.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { bareProducts } from '../support/bare-products.ts';
import { CliWorker } from '../support/cli-worker.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { tables as catalogue } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const config = parseStackConfig('dev', {}, catalogue);
const stackFile = 'config:\n  aws:region: us-east-1\n  tablewright:production: false\n';
const text = (value: string) => ({ S: value });

const products = bareProducts(60);

const order: Item = {
  id: text('m1'),
  marketId: text('market'),
  owner: text('ana'),
  side: text('Buy'),
  price: { N: '0.5' },
  quantity: { N: '10' },
  remaining: { N: '10' },
  status: text('Open'),
  createdAt: text('2026-01-01T00:00:00.000Z'),
};

const scan: Item = { scan_id: text('s1'), scan_timestamp: { N: '1790000000' }, status: text('completed') };

/** So many refusals: half of the tries of the least patient, so that it waits and is not about to give up. */
const refusals = 4;

/**
 * A server that refuses reads, writes or transactions for want of capacity, without end: the commands wait between their tries,
 * longer each time. One that minds the stop ends with 130; one that sleeps through it ends when it gives up, with 1.
 */
const kinds: Readonly<Record<string, readonly string[]>> = {
  reads: ['Scan', 'Query', 'BatchGetItem', 'GetItem'],
  'bulk writes': ['BatchWriteItem', 'BatchExecuteStatement', 'PutItem', 'DeleteItem'],
  transactions: ['TransactWriteItems'],
};

describe('a command that waits to try again', function () {
  this.timeout(120_000);
  let engine: TestEngine;
  let folder: ProjectFolder;
  let worker: CliWorker;
  const proxies: FaultProxy[] = [];

  before(async () => {
    engine = await startEngine(catalogue, config);
    folder = await projectFolder({ dev: stackFile });
    worker = new CliWorker(folder.root);
    await engine.putRaw(omsConfig, products);
    await engine.putRaw(marketOrders, [order]);
    await engine.putRaw(scanHistory, [scan]);
    const done = await run(engine.endpoint, ['export', 'oms_config', '--portable', '--to', place('exported')]);
    expect(done.code, done.stderr).to.equal(0);
  });
  after(async () => {
    worker.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await engine.close();
    await folder.remove();
  });

  const place = (name: string): string => join(folder.root, name);
  const run = (endpoint: string, args: readonly string[], stop?: AbortSignal) =>
    worker.run([...args, '--stack', 'dev', '--endpoint', endpoint], stop);

  /** How it ended after it was refused some times and then asked to stop. */
  async function stopped(kind: string, args: readonly string[]) {
    const proxy = await openFaultProxy(engine.endpoint, { throttle: 1, operations: kinds[kind] ?? [] });
    proxies.push(proxy);
    const stop = new AbortController();
    let ended = false;
    const running = run(proxy.endpoint, args, stop.signal).finally(() => {
      ended = true;
    });
    while (!ended && (proxy.made.get('throttle') ?? 0) < refusals) await sleep(5);
    stop.abort();
    const { code, stderr } = await running;
    return `${kind}: ${args.slice(0, 2).join(' ')}: ${code} ${code === 130 ? '' : stderr.split('\n')[0]}`.trim();
  }

  it('ends when it is asked to, whatever it reads or writes', async () => {
    const [id = ''] = await readdir(join(place('exported'), 'AWSDynamoDB'));
    const from = ['import', join(place('exported'), 'AWSDynamoDB', id), '--table', 'oms_config', '--again'];
    const reading = [
      ['plan', '--to', '1'],
      ['status'],
      ['history', '1'],
      ['report', '1'],
      ['unlock'],
      ['resume'],
      ['repair'],
      ['seed', 'oms'],
      ['seed', '--volume', '100', '--system', 'oms'],
      ['export', 'oms_config', '--portable', '--to', place('another')],
      from,
      ['archive', '--to', place('archive')],
      ['cutover', 'status'],
      ['cutover', 'check', 'markets.orders.byOwner'],
      ['cutover', 'shadow', 'markets.orders.byOwner'],
      ['query', 'markets.orders.byOwner', 'owner=ana'],
      ['migrate', '--to', '1'],
      ['verify', '1'],
      ['rollback', '--to', '0'],
      ['retry', '1'],
    ];
    const writing: readonly (readonly [kind: string, args: readonly string[]])[] = [
      ['bulk writes', ['seed', 'oms']],
      ['bulk writes', ['seed', '--volume', '100', '--system', 'oms', '--random-seed', '2']],
      ['bulk writes', from],
      ['bulk writes', [...from, '--skip-existing']],
      ['transactions', ['seed', 'markets']],
      ['transactions', ['cutover', 'shadow', 'markets.orders.byOwner']],
      ['transactions', ['pause']],
      ['transactions', ['repair']],
    ];
    const ended = await Promise.all(reading.map((args) => stopped('reads', args)));
    // One after the other: some would meet at the same record.
    for (const [kind, args] of writing) ended.push(await stopped(kind, args));
    expect(ended.filter((line) => !line.endsWith(': 130'))).to.deep.equal([]);
  });

  it('ends in the middle of a migration, too, and the next run goes on', async () => {
    const ended = [
      await stopped('transactions', ['migrate', '--to', '1']),
      await stopped('bulk writes', ['migrate', '--to', '1']),
      await stopped('reads', ['migrate', '--to', '1']),
    ];
    expect(ended.filter((line) => !line.endsWith(': 130'))).to.deep.equal([]);
    const { code, stderr } = await run(engine.endpoint, ['migrate', '--to', '1']);
    expect(code, stderr).to.equal(0);
    expect(await stopped('transactions', ['rollback', '--to', '0'])).to.match(/: 130$/);
    expect(await stopped('bulk writes', ['rollback', '--to', '0'])).to.match(/: 130$/);
  });
});
