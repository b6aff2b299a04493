import { physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { isAmazon } from '../aws/clients.ts';
import { readInsights } from '../aws/tables/read-insights.ts';
import { readScaling } from '../aws/tables/read-scaling.ts';
import type { Lacks } from '../core/store/features.ts';
import { type FoundScaling, scaledResource } from '../core/tables/attachments.ts';
import type { DeployedTable } from '../core/tables/deployed-table.ts';
import type { NativeStore } from '../core/transfer/native-store.ts';
import type { Context } from './context.ts';
import type { OpenStack } from './open-stack.ts';
import { nativeEnvironment } from './transfer/native-environment.ts';

/** Tables of a stack with all that can be asked about them; undefined for those that are not there. */
export async function findDeployed(
  context: Context,
  stack: OpenStack,
  tables: readonly Table[],
  lacks: Lacks,
): Promise<ReadonlyMap<Table, DeployedTable | undefined>> {
  const { signal } = context;
  const { native } = nativeEnvironment(context, stack);
  const descriptions = new Map<Table, DeployedTable['description']>();
  for (const table of tables) {
    signal.throwIfAborted();
    const description = await stack.store.describeTable(physicalName(table, stack.config), signal);
    if (description !== undefined) descriptions.set(table, description);
  }
  const scaling = await scalingOfAll(stack, [...descriptions.values()], signal);
  const isAws = stack.endpoint === undefined || isAmazon(stack.endpoint);
  const found = new Map<Table, DeployedTable | undefined>();
  for (const table of tables) {
    signal.throwIfAborted();
    const description = descriptions.get(table);
    if (description === undefined) {
      found.set(table, undefined);
      continue;
    }
    const attachments = {
      scaling: scaling?.filter((one) => isOf(description.name, one)),
      insights: await readInsights(stack.client, description.name, signal),
    };
    found.set(table, { description, ...(await furtherFacts(native, description, lacks, signal)), attachments, isAws });
  }
  return found;
}

async function furtherFacts(
  native: NativeStore,
  { name, settings }: DeployedTable['description'],
  lacks: Lacks,
  signal: AbortSignal,
): Promise<Pick<DeployedTable, 'tags' | 'pitr'>> {
  const arn = settings.arn ?? '';
  return {
    tags: lacks.has('tags') ? undefined : await native.tags(arn, signal),
    pitr: lacks.has('point-in-time recovery') ? undefined : await native.pitr(name, signal),
  };
}

/** Those of all tables together: it is one question. */
async function scalingOfAll(
  { config: { region }, endpoint, patience }: OpenStack,
  descriptions: readonly DeployedTable['description'][],
  signal: AbortSignal,
): Promise<readonly FoundScaling[] | undefined> {
  const resources = descriptions.flatMap(({ name, indexes }) => [
    scaledResource(name),
    ...indexes.map((index) => scaledResource(name, index.name)),
  ]);
  return resources.length === 0 ? [] : readScaling({ region, endpoint, patience, signal }, resources);
}

function isOf(table: string, { resourceId }: FoundScaling): boolean {
  return resourceId === scaledResource(table) || resourceId.startsWith(scaledResource(table, ''));
}
