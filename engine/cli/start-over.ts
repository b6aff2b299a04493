import { TablewrightError } from '../../tables/model/error.ts';
import { physicalName, tablesOf } from '../../tables/model/stack/stack-config.ts';
import { naturalIndexes } from '../../tables/model/table.ts';
import { isAmazon } from '../aws/clients.ts';
import { deleteTable } from '../aws/tables/delete-table.ts';
import { chooseEngine } from '../local/choose-engine.ts';
import { removeLocalData } from '../local/local-engine.ts';
import { isRunning } from '../local/shared-service.ts';
import { confirmDeletion } from './confirm-deletion.ts';
import type { Context } from './context.ts';
import { localDirectory, type OpenStack } from './open-stack.ts';
import { sleep } from './read-environment.ts';
import { readStack } from './read-stack.ts';

const pollMs = 100;
/** A server on this machine or in a container deletes a table at once. */
const maxDeleteWaitMs = 60_000;

/** Throws the data of the engine on this machine away, once it is known that one can take its place. */
export async function startOverHere(context: Context): Promise<void> {
  const directory = localDirectory(context.root);
  for (const name of ['dynamodb', 's3']) {
    if (!(await isRunning({ name, directory }))) continue;
    throw new TablewrightError('CONFLICT', `the local ${name} is in use by another tablewright command`, {
      next: "Stop that command (Ctrl-C in its terminal), then run 'up --fresh' again.",
    });
  }
  const { common, root, catalogue, project } = context;
  const config = await readStack(common.stack, root, catalogue, project);
  chooseEngine({ wanted: common.engine, naturalIndexes: naturalIndexes(tablesOf(config, catalogue)) });
  await removeLocalData(directory);
}

/** Deletes the stack's tables on a server that others run, after naming them and asking. What lies here stays. */
export async function startOverThere(context: Context, stack: OpenStack, yes: boolean): Promise<void> {
  const { signal } = context;
  const names: string[] = [];
  for (const table of stack.tables) {
    const name = physicalName(table, stack.config);
    if ((await stack.store.describeTable(name, signal)) !== undefined) names.push(name);
  }
  if (names.length === 0) return;
  await confirmDeletion(context, yes, `--fresh deletes ${names.length} tables on ${stack.endpoint}: ${names.join(', ')}.`);
  for (const name of names) await deleteTable(stack.client, name, signal);
  for (const name of names) await untilGone(stack, name, signal);
  context.output.note({ event: 'deleted', tables: names }, `Deleted    ${names.length} tables on ${stack.endpoint}`);
}

/** The local stack has the table names of dev: on AWS they would be dev's own tables. */
export function refuseAws({ common: { endpoint } }: Pick<Context, 'common'>): void {
  if (endpoint === undefined || !isAmazon(endpoint)) return;
  throw new TablewrightError('BAD_ARGUMENT', `up: ${endpoint} is AWS itself, whose tables are Pulumi's`, {
    next: "Run 'npx pulumi up', or name a server of your own; without --endpoint and AWS_ENDPOINT_URL it is an engine on this machine.",
  });
}

async function untilGone({ store, endpoint }: OpenStack, name: string, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited <= maxDeleteWaitMs; waited += pollMs) {
    if ((await store.describeTable(name, signal)) === undefined) return;
    await sleep(pollMs, signal);
  }
  throw new TablewrightError('STORE_FAILED', `${name}: ${endpoint} has not deleted it after ${maxDeleteWaitMs / 1_000} s`, {
    next: "Run 'tablewright up --fresh' again with the same --endpoint.",
  });
}
