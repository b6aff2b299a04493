import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { localExecutions } from '../../engine/cli/remote/local-executions.ts';
import { until } from '../support/until.ts';

const arn = 'arn:aws:states:local:000000000000:stateMachine:shop-dev-runner';

describe('executions on this machine', function () {
  this.timeout(60_000);

  it('do not rest as long as AWS’s do, which have to spare their history: Ctrl-C waits for it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tablewright-waits-'));
    const module = join(folder, 'index.mjs');
    const answers = "[{ kind: 'wait', seconds: 300 }, { kind: 'done', outcome: 'done' }]";
    await writeFile(module, `const answers = ${answers};\nexport const handler = async () => answers.shift();\n`);
    const settings = { module, env: {}, memoryMb: 128, timeoutMs: 30_000 };
    const executions = localExecutions({ arn, version: '1', arnOf: (name) => name }, settings);
    try {
      await executions.start('one', '{}');
      await until(async () => (await executions.describe('one'))?.status !== 'running');
      expect(await executions.describe('one')).to.include({ status: 'succeeded' });
    } finally {
      await executions.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
