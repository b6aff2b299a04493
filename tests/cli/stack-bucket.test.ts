import { expect } from 'chai';
import type { OpenStack } from '../../engine/cli/open-stack.ts';
import { localBucket, stackBucket } from '../../engine/cli/transfer/stack-bucket.ts';
import { exportBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { failureOf } from '../support/failure-of.ts';
import { tables as catalogue } from '../support/project.ts';

const account = '123456789012';

function stack(name: string, settings: Readonly<Record<string, unknown>>, endpoint?: string): OpenStack {
  return { name, config: parseStackConfig(name, settings, catalogue), endpoint } as unknown as OpenStack;
}

describe("the stack's export bucket", () => {
  it('is the deployed one, by the stack file alone when that has the account', async () => {
    const deployed = stack('dev', { 'tablewright:account': account, 'aws:region': 'eu-west-1' });
    const expected = `tablewright-dev-exports-${account}-eu-west-1`;
    expect(await stackBucket(deployed, '--to')).to.equal(expected);
    expect(exportBucketName(deployed.config, { account, region: 'eu-west-1' })).to.equal(expected);
  });

  it('has its own name where the stack file gives one, and stands in for it locally', async () => {
    const named = stack('dev', { 'tablewright:exportBucket': { name: 'trading-exports' } });
    expect(await stackBucket(named, '--to')).to.equal('trading-exports');
    expect(await stackBucket(stack('local', {}), '--to')).to.equal(localBucket);
  });

  it('is refused where its name is a secret, which other settings may be', async () => {
    const secret = { secure: 'v1:4YfBv0m4oE0Jx5Qq' };
    for (const [place, exportBucket] of [
      ['exportBucket.name', { name: secret }],
      ['exportBucket', secret],
    ] as const) {
      const hidden = stack('dev', { 'tablewright:account': account, 'tablewright:exportBucket': exportBucket });
      const error = await failureOf(stackBucket(hidden, '--to'));
      expect(error.code).to.equal('BAD_CONFIG');
      expect(error.problems).to.deep.equal([
        `tablewright:${place}: expected a plain value here, found a secret, which the command line cannot decrypt`,
      ]);
    }
    const days = { noncurrentDays: secret, name: 'trading-exports' };
    expect(await stackBucket(stack('dev', { 'tablewright:exportBucket': days }), '--to')).to.equal('trading-exports');
  });

  it('is asked for where there is no account to name it by', async () => {
    const elsewhere = stack('dev', {}, 'http://127.0.0.1:1');
    const error = await stackBucket(elsewhere, '--to').catch((reason: Error) => reason);
    expect(error).to.include({ code: 'BAD_ARGUMENT' });
    expect((error as Error).message).to.contain('--to was not given');
  });

  it('keeps to the length of bucket names', () => {
    const { config } = stack('a-stack-with-a-very-long-name-indeed-for-some-reason', {});
    const name = exportBucketName(config, { account, region: 'ap-northeast-2' });
    expect(name.length).to.be.at.most(63);
    expect(name).to.match(new RegExp(`-exports-${account}-ap-northeast-2$`));
  });
});
