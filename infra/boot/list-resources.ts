import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type AwsPlace, partitionOf } from '../../tables/model/stack/aws-place.ts';
import { type BootRequest, bootAnswer, identifyingInputs, type ListedResource } from '../../tables/model/stack/boot-request.ts';
import { type Monitor, type StandIn, startMonitor } from './monitor.ts';
import type { Inputs } from './registered.ts';

/**
 * A program by itself, run by those who want to know what a project's Pulumi program registers and may not import it: runs the
 * program as the Pulumi CLI does, against a monitor on the loopback interface, and prints the resources. Nothing is deployed.
 */
const request = JSON.parse(process.argv[2] ?? '{}') as BootRequest;
const monitor = await startMonitor(standIn(request), request);
try {
  const { exitCode, printed } = await runProgram(request, monitor.address);
  const errors = monitor.recording.logs.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const failure = exitCode === 0 ? undefined : [...errors, ...(errors.length === 0 ? [printed.trim()] : [])].join('\n');
  process.stdout.write(`\n${bootAnswer({ resources: listed(monitor), ...(failure === undefined ? {} : { failure }) })}\n`);
} finally {
  monitor.close();
}

/** Pulumi's own entry, from where the project has it installed. */
async function runProgram(
  { root, main, project, stack, nodeArguments }: BootRequest,
  address: string,
): Promise<{ readonly exitCode: number | null; readonly printed: string }> {
  const entry = createRequire(join(root, 'package.json')).resolve('@pulumi/pulumi/cmd/run');
  const file = join(root, main);
  const flags = ['--monitor', address, '--engine', address, '--project', project, '--stack', stack];
  const places = ['--pwd', dirname(file), '--root-directory', root, '--dry-run', basename(file)];
  const child = spawn(process.execPath, [...nodeArguments, entry, ...flags, ...places], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PULUMI_CONFIG: JSON.stringify(request.config), PULUMI_CONFIG_SECRET_KEYS: '[]' },
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const stop = () => child.kill('SIGKILL');
  process.once('SIGTERM', stop);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  process.off('SIGTERM', stop);
  return { exitCode, printed: chunks.join('') };
}

function listed({ recording }: Monitor): readonly ListedResource[] {
  return recording.resources.map(({ urn, type, name, custom, inputs }) => ({
    urn,
    type,
    name,
    custom,
    parent: recording.parents.get(urn) ?? '',
    identity: identityOf(inputs),
  }));
}

function identityOf(inputs: Inputs): ListedResource['identity'] {
  const given = identifyingInputs.map((name) => [name, inputs[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string'));
}

/** Where the stack's file says that it is deployed; every ARN of a resource that is not there yet is one of nothing. */
function standIn({ region, account }: BootRequest): StandIn {
  const place: AwsPlace = { account, region, partition: partitionOf(region), dnsSuffix: 'amazonaws.com' };
  const answers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'aws:index/getCallerIdentity:getCallerIdentity': { accountId: account, arn: '', id: account, userId: '' },
    'aws:index/getPartition:getPartition': { ...place, id: place.partition, reverseDnsPrefix: '' },
    'aws:index/getRegion:getRegion': { region, id: region, description: '', endpoint: '' },
  };
  return {
    answer: (token) => answers[token],
    created: (type, name, inputs) => ({ id: `${name}-id`, state: { ...inputs, arn: `${type}::${name}`, keyId: name } }),
  };
}
