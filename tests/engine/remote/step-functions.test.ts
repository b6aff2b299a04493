import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import { expect } from 'chai';
import { sfnClient } from '../../../engine/aws/command-clients.ts';
import { stepFunctions } from '../../../engine/aws/remote/step-functions.ts';
import { runnerMachine } from '../../../tables/model/runner/machine.ts';
import { executionArn, runnerMachineArn, runnerMachineName } from '../../../tables/model/runner/names.ts';
import { openStepFunctions, type StepFunctionsServer } from '../../support/step-functions-server.ts';

const place = { partition: 'aws', region: 'eu-west-1', account: '123456789012' };
const stack = { project: 'shop', stack: 'dev' };
const machineArn = runnerMachineArn(place, stack);
const functionArn = 'arn:aws:lambda:eu-west-1:123456789012:function:shop-dev-runner';
const definitionOf = (resource: string) => JSON.stringify(runnerMachine(resource));

describe('the executions of a state machine', () => {
  let server: StepFunctionsServer;
  let client: Awaited<ReturnType<typeof sfnClient>>;
  const executions = () => stepFunctions(async () => client, machineArn);

  beforeEach(async () => {
    server = await openStepFunctions(machineArn);
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = await sfnClient({ region: place.region, endpoint: server.endpoint, credentials });
  });
  afterEach(async () => {
    client.destroy();
    await server[Symbol.asyncDispose]();
  });

  it('have names that follow from the stack', () => {
    expect(runnerMachineName(stack)).to.equal('shop-dev-runner');
    expect(machineArn).to.equal('arn:aws:states:eu-west-1:123456789012:stateMachine:shop-dev-runner');
    expect(executionArn(place, stack, 'migrate-1')).to.equal(
      'arn:aws:states:eu-west-1:123456789012:execution:shop-dev-runner:migrate-1',
    );
  });

  it('are those of the version that the definition calls', async () => {
    server.definition = definitionOf(`${functionArn}:7`);
    expect(await executions().runner()).to.deep.equal({ functionArn: `${functionArn}:7`, version: '7' });
    for (const changing of [functionArn, `${functionArn}:live`]) {
      server.definition = definitionOf(changing);
      expect(await executions().runner()).to.deep.equal({ functionArn: changing, version: undefined });
    }
  });

  it('has no runner where the machine is gone or is another', async () => {
    expect(await executions().runner()).to.equal(undefined);
    expect(await executions().latest()).to.equal(undefined);
    for (const definition of ['{', '{}', '{"States":{"Next":{"Type":"Pass"}}}']) {
      server.definition = definition;
      expect(await executions().runner(), definition).to.equal(undefined);
    }
  });

  it('start once under one name, however often they are asked to', async () => {
    server.definition = definitionOf(`${functionArn}:7`);
    const arn = await executions().start('migrate-1', '{"a":1}');
    expect(await executions().start('migrate-1', '{"a":1}')).to.equal(arn);
    expect(arn).to.equal(executionArn(place, stack, 'migrate-1'));
    expect([...server.executions.keys()]).to.deep.equal([arn]);
  });

  it('are found with the running one first, then the newest', async () => {
    server.definition = definitionOf(`${functionArn}:7`);
    expect(await executions().latest()).to.equal(undefined);
    const first = await executions().start('first', '{}');
    const second = await executions().start('second', '{}');
    Object.assign(server.executions.get(second) ?? {}, { status: 'SUCCEEDED', output: '{"next":{"kind":"done"}}' });
    expect((await executions().latest())?.arn).to.equal(first);
    Object.assign(server.executions.get(first) ?? {}, { status: 'FAILED', error: 'LOCKED', cause: 'why' });
    expect(await executions().latest()).to.deep.equal({
      arn: second,
      name: 'second',
      status: 'succeeded',
      startedMs: 1_000,
      input: '{}',
      output: '{"next":{"kind":"done"}}',
      error: undefined,
      cause: undefined,
    });
    expect(await executions().describe(first)).to.include({ status: 'failed', error: 'LOCKED', cause: 'why' });
  });

  it('end when they are stopped from outside; one that nobody knows is no failure', async () => {
    server.definition = definitionOf(`${functionArn}:7`);
    const arn = await executions().start('one', '{}');
    await client.send(new StopExecutionCommand({ executionArn: arn, cause: 'by hand' }));
    expect(await executions().describe(arn)).to.include({ status: 'aborted', cause: 'by hand' });
    expect(await executions().describe(`${arn}-other`)).to.equal(undefined);
  });
});
