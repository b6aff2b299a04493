import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { s3Client } from '../../../engine/aws/command-clients.ts';
import { openS3 } from '../../../engine/local/local-engine.ts';
import type { Service } from '../../../engine/local/shared-service.ts';
import { type CapacityProxy, openCapacityProxy } from '../../support/capacity-proxy.ts';
import { type NativeServer, startNativeServer } from '../../support/native-server.ts';
import { personalIn } from '../../support/personal-values.ts';
import { contentsOf, countOf, danglingIn, openRefreshBed, type RefreshBed, stagedItems } from '../../support/refresh-run.ts';
import type { CliResult } from '../../support/run-cli.ts';

const bucket = 'exports-of-production';
/** The large ones; the others have no log to export from, and are read. */
const exported = ['oms_trading_data_prod', 'oms_config_prod', 'order-management'];

describe('a refresh from production on AWS', function () {
  this.timeout(180_000);
  let bed: RefreshBed;
  let s3Service: Service;
  let s3: S3Client;
  let native: NativeServer;
  let reads: CapacityProxy;

  before(async () => {
    bed = await openRefreshBed(400);
    s3Service = await openS3({ data: { kind: 'memory' } });
    s3 = await s3Client({ region: 'us-east-1', endpoint: s3Service.endpoint });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    native = await startNativeServer(bed.source, s3);
    for (const name of exported) native.pitr.set(name, 35);
    reads = await openCapacityProxy(native.endpoint);
    const file = join(bed.root, 'Pulumi.prod.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('tablewright:exportBucket:', `tablewright:exportBucket:\n    name: ${bucket}`));
    // As on AWS no endpoint is given: where the services are, the SDK finds by the profile.
    const services = `dynamodb =\n  endpoint_url = ${reads.endpoint}\ns3 =\n  endpoint_url = ${s3Service.endpoint}\n`;
    await writeFile(
      join(bed.root, 'config'),
      `[profile reader]\nservices = here\nregion = us-east-1\n[services here]\n${services}`,
    );
    await writeFile(join(bed.root, 'credentials'), '[reader]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n');
  });
  after(async () => {
    s3?.destroy();
    await reads?.close();
    await native?.close();
    await s3Service?.release();
    await bed?.close();
  });

  const words = (to: string, more: readonly string[]) => [
    ...['refresh', '--from', 'prod', '--to', 'dev', '--to-endpoint', to, '--mask', 'masks.yaml', '--share', '60%'],
    ...['--rate', '1000000', '--read-rate', '1000000', ...more],
  ];
  const env = (): NodeJS.ProcessEnv => ({
    AWS_PROFILE: 'reader',
    AWS_CONFIG_FILE: join(bed.root, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(bed.root, 'credentials'),
  });

  /** The whole command, or killed with kill -9 as soon as this is so, given what it has said. */
  async function run(target: string, isTime: (said: string) => boolean = () => false): Promise<CliResult> {
    let watch: NodeJS.Timeout | undefined;
    const onChild = (child: ChildProcess): void => {
      let said = '';
      child.stdout?.on('data', (text: Buffer) => {
        said += text;
      });
      watch = setInterval(() => isTime(said) && child.kill('SIGKILL'), 2);
    };
    return bed.run(words(target, ['--poll-ms', '5']), onChild, env()).finally(() => clearInterval(watch));
  }
  const started = () => native.calls.filter((call) => call === 'ExportTableToPointInTime').length;

  it('reads native exports where there is a log, no table of those; killed, the same command goes on in the same exports', async () => {
    const source = await bed.itemsOf(bed.source, 'prod');
    const target = await bed.emptyTarget();
    native.pollsUntilDone = Number.POSITIVE_INFINITY;
    const isWaiting = () => native.calls.filter((call) => call === 'DescribeExport').length > 2;
    expect((await run(target, isWaiting)).code, 'killed while it waits for an export').to.equal(null);
    expect(started()).to.equal(1);
    native.pollsUntilDone = 2;
    expect(
      (await run(target, (said) => (said.match(/in the sample/g) ?? []).length >= 2)).code,
      'killed when some tables are staged',
    ).to.equal(null);
    expect(personalIn(source, await stagedItems(bed.root))).to.deep.equal([]);
    const done = await run(target);
    expect(done.code, done.stderr).to.equal(0);
    expect(started(), 'one export for each table').to.equal(exported.length);
    const scanned = reads.take().flatMap(({ operation, table }) => (operation === 'Scan' ? [table] : []));
    expect(scanned)
      .to.include('crypto-backtest-results')
      .and.not.to.include.members([...exported]);
    for (const name of exported) expect(scanned, name).not.to.include(name);

    const found = await bed.itemsOf(target, 'dev');
    expect(danglingIn(found)).to.deep.equal([]);
    expect(personalIn(source, found)).to.deep.equal([]);
    const read = await bed.emptyTarget();
    const portable = await bed.run(words(read, ['--from-endpoint', bed.source]));
    expect(portable.code, portable.stderr).to.equal(0);
    expect(contentsOf(found)).to.deep.equal(contentsOf(await bed.itemsOf(read, 'dev')));
    expect(countOf(found)).to.be.greaterThan(60);
  });
});
