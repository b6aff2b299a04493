import { mkdtemp, open, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionArn, localRegion, runnerMachineArn, runnerMachineName } from '../../../tables/model/runner/names.ts';
import { localCredentials } from '../../aws/clients.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { sha256 } from '../../local/sha256.ts';
import { writeFile } from '../../local/write-file.ts';
import type { Context } from '../context.ts';
import type { FunctionSettings } from '../lambda/local-function.ts';
import { bundleCode } from '../lambda/make-bundle.ts';
import { loadMigrations } from '../migrate/load-migrations.ts';
import { localDirectory, type OpenStack } from '../open-stack.ts';
import { localExecutions } from './local-executions.ts';
import type { Runner } from './runner.ts';

/** Each is a process; more than a machine has processors only make sense while they wait for a server elsewhere. */
const maxLocalWorkers = 64;
const here = { partition: 'aws', region: localRegion, account: '000000000000' } as const;

/** The state machine and the function of a stack's runner, on this machine: the same definition, the same bundle, a process for each call. */
export async function openLocalRunner(context: Context, stack: OpenStack): Promise<Runner> {
  const { config } = stack;
  const folder = await mkdtemp(join(tmpdir(), 'tablewright-runner-'));
  const logFolder = localDirectory(context.root);
  await makeFolder(logFolder);
  const log = await open(join(logFolder, 'workers.log'), 'w', 0o600);
  try {
    const code = await bundleCode({
      root: context.root,
      folder: context.project.migrations,
      migrations: await loadMigrations(context),
    });
    const module = join(folder, 'index.mjs');
    await writeFile(module, code);
    const version = sha256(code).slice(0, 12);
    const { memoryMb, timeoutSeconds } = config.runner;
    const env = environmentOf(context, stack, version);
    const worker: FunctionSettings = { module, env, memoryMb, timeoutMs: timeoutSeconds * 1_000, log: log.fd };
    const machine = { arn: runnerMachineArn(here, config), version, arnOf: (name: string) => executionArn(here, config, name) };
    const executions = localExecutions(machine, worker);
    return {
      place: 'local',
      machineName: runnerMachineName(config),
      executions,
      limit: { workers: maxLocalWorkers, next: 'Give fewer; a thousand and more run on AWS (--on aws).' },
      defaultWorkers: availableParallelism(),
      endsWithCommand: true,
      [Symbol.asyncDispose]: async () => {
        await executions.close();
        await log.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await log.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What Lambda sets, and where this command found its servers: a worker talks to the same. */
function environmentOf(context: Context, stack: OpenStack, version: string): Readonly<Record<string, string>> {
  const { env, root, common } = context;
  const own = stack.engine === undefined ? {} : localEnvironment;
  const given = Object.entries({ ...env, ...own }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    ...Object.fromEntries(given),
    LAMBDA_TASK_ROOT: root,
    TABLEWRIGHT_STACK: stack.name,
    AWS_LAMBDA_FUNCTION_VERSION: version,
    ...(stack.endpoint === undefined ? {} : { AWS_ENDPOINT_URL_DYNAMODB: stack.endpoint }),
    ...(common.endpoints.s3 === undefined ? {} : { AWS_ENDPOINT_URL_S3: common.endpoints.s3.url }),
  };
}

/** For the engine on this machine, whatever else the environment says. */
const localEnvironment = {
  AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: undefined,
} as const;
