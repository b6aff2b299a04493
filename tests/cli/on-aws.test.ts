import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { localExecutions } from '../../engine/cli/remote/local-executions.ts';
import { omsConfig } from '../../tables/catalogue.ts';
import { runnerMachine } from '../../tables/model/runner/machine.ts';
import type { Order } from '../../tables/model/runner/order.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { bareProducts } from '../support/bare-products.ts';
import { CliWorker } from '../support/cli-worker.ts';
import { type Copy, copyRepository } from '../support/copy-repository.ts';
import { tables } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { runCli } from '../support/run-cli.ts';
import { openStepFunctions, type ServedExecution, type StepFunctionsServer } from '../support/step-functions-server.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';
import { until } from '../support/until.ts';

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
      expect(stderr).to.match(/\n→ Take --on local, which runs the same workers on this machine, or name a stack on AWS/);
    }
    expect(server.executions.size).to.equal(0);
  });

  it('takes no other place, no workers without it, and none of what workers do not know', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['migrate', '--on', 'gcp'], /--on: expected one of aws, local, found gcp/],
      [['migrate', '--workers', '4'], /--workers applies to a run by workers \(--on\), and this is a run that writes/],
      [['migrate', '--on', 'aws', '--workers', '10001'], /--workers: expected a whole number from 1 to 10,000, found 10001/],
      [['migrate', '--on', 'aws', '--segments', '4'], /--segments applies to /],
      [['migrate', '--on', 'aws', '--pause-on-alarm'], /--pause-on-alarm: the local stack has no alarms/],
      [['migrate', '--dry-run', '--pause-on-alarm'], /--pause-on-alarm applies to a run that writes or a run by workers/],
      [['migrate', '--on', 'aws', '--dry-run'], /--on applies to a run by workers/],
      [['verify', '--workers', '4'], /--workers applies to a run by workers \(--on\), and this is a run on this machine/],
    ];
    for (const [words, says] of cases) {
      const { code, stderr } = await worker.run(words);
      expect([code, stderr], words.join(' ')).to.deep.include(2);
      expect(stderr, words.join(' ')).to.match(says);
    }
  });
});

/** The stack's file says who may work for it at once. */
const stackFile = [
  'config:',
  '  aws:region: us-east-1',
  '  tablewright:production: false',
  '  tablewright:runner: { enabled: true, reservedConcurrency: 20 }',
  '  tablewright:schedules: { bundle: tablewright.zip }',
  '',
].join('\n');
const version = '7';
const definition = JSON.stringify(
  runnerMachine(`arn:aws:lambda:us-east-1:000000000000:function:tablewright-dev-runner:${version}`),
);

describe('--on aws, where a runner is deployed', function () {
  this.timeout(300_000);
  const config = parseStackConfig('dev', {}, tables);
  let server: StepFunctionsServer;
  let engine: TestEngine;
  let folder: ProjectFolder;
  let worker: CliWorker;
  let task = '';

  before(async () => {
    server = await openStepFunctions(machineArn);
    engine = await startEngine(tables, config);
    folder = await projectFolder({ dev: stackFile });
    task = await mkdtemp(join(tmpdir(), 'tablewright-task-'));
    const env = { AWS_ENDPOINT_URL_SFN: server.endpoint, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    worker = new CliWorker(folder.root, env);
    await engine.putRaw(omsConfig, bareProducts(40));
  });
  beforeEach(() => {
    server.definition = definition;
    server.executions.clear();
  });
  after(async () => {
    worker?.close();
    await server?.[Symbol.asyncDispose]();
    await engine?.close();
    await folder?.remove();
    await rm(task, { recursive: true, force: true });
  });

  const run = (words: readonly string[], stop?: AbortSignal) =>
    worker.run([...words, '--stack', 'dev', '--endpoint', engine.endpoint], stop);
  const migrate = ['migrate', '--to', '1', '--on', 'aws'];

  /** Whatever is started ends so. */
  async function startAndEnd(end: Partial<ServedExecution>, words = migrate) {
    const ended = run(words);
    await until(async () => server.executions.size > 0);
    for (const execution of server.executions.values()) Object.assign(execution, end);
    return await ended;
  }

  it('says what is missing where the machine is gone, is another, or calls what may change', async () => {
    const cases: readonly (readonly [string | undefined, string])[] = [
      [undefined, 'is not there'],
      ['{}', 'is not there'],
      [
        definition.replaceAll(`runner:${version}"`, 'runner"'),
        'calls arn:aws:lambda:us-east-1:000000000000:function:tablewright-dev-runner, which is no published version',
      ],
    ];
    for (const [deployed, what] of cases) {
      server.definition = deployed;
      // Nothing is told before it, so nothing was raised.
      const { code, stderr } = await run([...migrate, '--warm', '5000']);
      expect([code, stderr.split('\n')[0]]).to.deep.equal([
        2,
        `RUNNER_MISSING: --on aws: the state machine tablewright-dev-runner ${what}`,
      ]);
      expect(stderr).to.contain('→ Deploy the runner (tablewright:runner in the stack’s file, docs/infrastructure.md)');
    }
    server.definition = undefined;
    const attached = await run(['attach']);
    expect([attached.code, attached.stderr.split('\n')[0]]).to.deep.equal([
      2,
      'RUNNER_MISSING: attach: the state machine tablewright-dev-runner is not there',
    ]);
  });

  it('refuses more workers than are reserved, and a second execution', async () => {
    const many = await run([...migrate, '--workers', '21']);
    expect([many.code, many.stderr]).to.deep.equal([
      2,
      [
        'BAD_ARGUMENT: --workers: the runner’s reserved concurrency is 20, found 21',
        '→ Give fewer, or raise reservedConcurrency (tablewright:runner in Pulumi.dev.yaml) and deploy.\n',
      ].join('\n'),
    ]);
    server.executions.set(`${machineArn.replace('stateMachine', 'execution')}:other`, {
      ...{ name: 'other', input: '{}', startedMs: 0, status: 'RUNNING' },
    });
    const second = await run(migrate);
    expect([second.code, second.stderr]).to.deep.equal([
      3,
      [
        'CONFLICT: the execution other of this stack is running',
        "→ Run 'tablewright attach' to watch it, or 'tablewright stop' to end it at its checkpoints.\n",
      ].join('\n'),
    ]);
  });

  it('has nothing to attach to before the first execution', async () => {
    const { code, stderr } = await run(['attach']);
    expect([code, stderr]).to.deep.equal([
      2,
      "UNKNOWN_NAME: attach: the stack dev has no execution\n→ Start one: 'tablewright migrate --stack dev --on aws'.\n",
    ]);
  });

  it('tells what an execution failed with: other migrations, a lock, an end from outside', async () => {
    const cause = 'the function holds other migrations than the caller\n  - 0001-index-oms-config: expected checksum a, found b';
    const other = await startAndEnd({ status: 'FAILED', error: 'LEDGER_MISMATCH', cause });
    expect([other.code, other.stderr]).to.deep.equal([
      2,
      [
        'LEDGER_MISMATCH: --on aws: the function holds other migrations than the caller',
        '  - 0001-index-oms-config: expected checksum a, found b',
        "→ Nothing was changed. Run 'tablewright bundle', deploy it with 'npx pulumi up', then start this again.\n",
      ].join('\n'),
    ]);
    server.executions.clear();
    const locked = await startAndEnd({ status: 'FAILED', error: 'LOCKED', cause: 'held by ana\nNext: Wait for it.' });
    expect([locked.code, locked.stderr]).to.deep.equal([3, 'LOCKED: held by ana\n→ Wait for it.\n']);
    server.executions.clear();
    const unknown = await startAndEnd({ status: 'FAILED', error: 'Lambda.Unknown', cause: '{"errorMessage":"out of memory"}' });
    expect([unknown.code, unknown.stderr]).to.deep.equal([
      1,
      "MIGRATION_FAILED: out of memory\n→ Run 'tablewright status' to see how the migrations stand.\n",
    ]);
    server.executions.clear();
    const aborted = await startAndEnd({ status: 'ABORTED' }, ['verify', '--on', 'aws']);
    expect(aborted.code).to.equal(3);
    expect(aborted.stderr).to.match(/^CONFLICT: the execution verify-\d+-\d+ was ended from outside/);
  });

  it('goes on after Ctrl-C, is found again by attach and ends as a run on this machine does', async () => {
    const leave = new AbortController();
    const begun = run([...migrate, '--workers', '2'], leave.signal);
    await until(async () => server.executions.size > 0);
    leave.abort();
    const left = await begun;
    expect(left.code).to.equal(130);
    expect(left.stdout).to.match(
      /^The execution migrate-\d+-\d+ goes on without this terminal\.\n→ 'tablewright attach' shows it/,
    );
    const [execution] = server.executions.values();
    expect(execution?.status).to.equal('RUNNING');
    const order = JSON.parse(execution?.input ?? '{}') as Order;
    expect(order).to.deep.include({ command: 'migrate', version, workers: 2 });
    expect(order.request).to.deep.include({ to: '0001-index-oms-config' });
    const attached = run(['attach']);
    await carryOut(execution);
    const { code, stdout, stderr } = await attached;
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain('40 items: 40 changed').and.to.contain('1 migration applied and verified.');
    // Once more: its end is what there is to see.
    expect((await run(['attach', '--json'])).stdout).to.contain('"outcome":"done"');
  });

  /** What Step Functions and Lambda do with it: the deployed definition and bundle. */
  async function carryOut(execution: ServedExecution | undefined): Promise<void> {
    if (execution === undefined) throw new Error('there is no execution');
    const zip = join(task, 'tablewright.zip');
    expect((await worker.run(['bundle', '--to', zip])).code).to.equal(0);
    for (const [name, bytes] of Object.entries(unzipSync(await readFile(zip)))) await writeFile(join(task, name), bytes);
    const env = {
      LAMBDA_TASK_ROOT: task,
      TABLEWRIGHT_STACK: 'dev',
      AWS_LAMBDA_FUNCTION_VERSION: version,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    };
    const settings = { module: join(task, 'index.mjs'), env, memoryMb: 1_769, timeoutMs: 900_000 };
    const arnOf = (name: string) => `${machineArn.replace(':stateMachine:', ':execution:')}:${name}`;
    const executions = localExecutions({ arn: machineArn, version, arnOf }, settings);
    try {
      const arn = await executions.start(execution.name, execution.input);
      await until(async () => (await executions.describe(arn))?.status !== 'running');
      const { status, output } = (await executions.describe(arn)) ?? {};
      expect(status).to.equal('succeeded');
      Object.assign(execution, { status: 'SUCCEEDED', output });
    } finally {
      await executions.close();
    }
  }
});
