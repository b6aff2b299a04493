import { setMaxListeners } from 'node:events';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Context } from '../../engine/cli/context.ts';
import type { OpenStack } from '../../engine/cli/open-stack.ts';
import { Output } from '../../engine/cli/output.ts';
import { isExpired } from '../../engine/core/migrate/decide-item.ts';
import { speakDialect } from '../../engine/local/dynoxide-dialect.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { parseStackConfig, physicalName, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { tables as catalogue, project } from '../support/project.ts';
import { repository } from '../support/run-cli.ts';
import { stackOn } from '../support/stack-on.ts';
import type { Server } from './servers.ts';

/** The toolkit's stack on one server, and a second one beside it that exports are imported into. */
export interface World {
  readonly server: Server;
  readonly stack: OpenStack;
  readonly copy: OpenStack;
  readonly context: Context;
  /** What seeds call now: the same moment on every server. */
  readonly nowSeconds: number;
}

export const config = parseStackConfig('conformance', {}, catalogue);
export const copyConfig = parseStackConfig('conformance-copy', {}, catalogue);

export function openWorld(server: Server, nowSeconds: number): World {
  // As the command line does: every request in flight listens to a signal.
  setMaxListeners(0);
  const context: Context = {
    common: {
      stack: 'local',
      json: true,
      quiet: true,
      debug: false,
      noColor: false,
      endpoints: { dynamodb: undefined, s3: undefined, sfn: undefined },
    },
    output: new Output({
      json: true,
      quiet: true,
      write: () => undefined,
      writeError: () => undefined,
    }),
    signal: new AbortController().signal,
    cwd: repository,
    env: {},
    root: repository,
    project,
    catalogue,
  };
  const makeClient = (maxAttempts?: number) => speakDialect(server.client(maxAttempts));
  const on = (names: StackConfig) => stackOn(server.endpoint, names, makeClient);
  return { server, stack: on(config), copy: on(copyConfig), context, nowSeconds };
}

/** All tables of the systems; the ledger has times and tokens of its own in it. */
export const systemTables = catalogue.filter((table) => table !== (ledger as Table));

/** What the tables hold, item by item in canonical form, but for what TTL may take at any moment. */
export async function contentsOf(stack: OpenStack, tables: readonly Table[] = systemTables): Promise<Record<string, string[]>> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const contents: Record<string, string[]> = {};
  for (const table of tables) {
    const items = await itemsOf(stack, table);
    contents[table.name] = items
      .filter((item) => !isExpired(table, item, nowSeconds))
      .map(canonicalItem)
      .toSorted();
  }
  return contents;
}

export async function itemsOf({ client, config: names }: OpenStack, table: Table): Promise<readonly Item[]> {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const request = { TableName: physicalName(table, names), ConsistentRead: true, ExclusiveStartKey: from };
    const page = await client.send(new ScanCommand(request));
    items.push(...((page.Items ?? []) as Item[]));
    from = page.LastEvaluatedKey as Item | undefined;
  } while (from !== undefined);
  return items;
}
