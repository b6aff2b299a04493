import { expect } from 'chai';
import { CliWorker } from '../support/cli-worker.ts';
import { type Copy, copyRepository } from '../support/copy-repository.ts';
import { runCli } from '../support/run-cli.ts';
import { openStepFunctions, type StepFunctionsServer } from '../support/step-functions-server.ts';

const machineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:tablewright-dev-runner';

describe('--on aws', function () {
  this.timeout(120_000);
  let server: StepFunctionsServer;
  let worker: CliWorker;
  let copy: Copy;

  before(async () => {
    server = await openStepFunctions(machineArn);
    copy = await copyRepository();
    worker = new CliWorker(copy.root, { AWS_ENDPOINT_URL_SFN: server.endpoint });
  });
  after(async () => {
    worker.close();
    await server[Symbol.asyncDispose]();
    await copy.remove();
  });

  it('is refused where the tables are on this machine', async () => {
    expect((await runCli(copy.root, ['up', '--quiet'], { bin: copy.bin })).code).to.equal(0);
    for (const words of [['verify'], ['rollback', '--yes'], ['retry', '1', '--yes']]) {
      const { code, stderr } = await worker.run([...words, '--on', 'aws']);
      expect([code, stderr.split('\n')[0]], words.join(' ')).to.deep.equal([
        2,
        'BAD_ARGUMENT: --on aws: the local stack has no runner on AWS',
      ]);
      expect(stderr).to.match(/\n→ Leave --on out, or name a stack on AWS/);
    }
    expect(server.executions.size).to.equal(0);
  });

  it('takes no other place, no workers without it, and none of what workers do not know', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['migrate', '--on', 'gcp'], /--on: expected one of aws, found gcp/],
      [['migrate', '--workers', '4'], /--workers applies to a run on AWS \(--on\), and this is a run that writes/],
      [['migrate', '--on', 'aws', '--workers', '10001'], /--workers: expected a whole number from 1 to 10,000, found 10001/],
      [['migrate', '--on', 'aws', '--segments', '4'], /--segments applies to /],
      [['migrate', '--on', 'aws', '--pause-on-alarm'], /--pause-on-alarm applies to a run that writes/],
      [['migrate', '--on', 'aws', '--dry-run'], /--on applies to a run on AWS/],
      [['verify', '--workers', '4'], /--workers applies to a run on AWS \(--on\), and this is a run on this machine/],
    ];
    for (const [words, says] of cases) {
      const { code, stderr } = await worker.run(words);
      expect([code, stderr], words.join(' ')).to.deep.include(2);
      expect(stderr, words.join(' ')).to.match(says);
    }
  });
});
