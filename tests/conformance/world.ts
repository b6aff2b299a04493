import { setMaxListeners } from 'node:events';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { Patience } from '../../engine/aws/patience.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { findLacks } from '../../engine/aws/store/find-features.ts';
import type { Context } from '../../engine/cli/context.ts';
import type { OpenStack } from '../../engine/cli/open-stack.ts';
import { Output } from '../../engine/cli/output.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { isExpired } from '../../engine/core/migrate/decide-item.ts';
import { speakDialect } from '../../engine/local/dynoxide-dialect.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { unlimitedGates } from '../../engine/run/capacity/capacity-gate.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import type { Table } from '../../tables/model/table.ts';
import { parseStackConfig, physicalName, type StackConfig } from '../../tables/stack-config.ts';
import { tables as catalogue } from '../../tables/tables.ts';
import { ledger } from '../../tables/tablewright/ledger.ts';
import { repository } from '../support/run-cli.ts';
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
    common: { stack: 'local', json: true, quiet: true, debug: false, endpoints: { dynamodb: undefined, s3: undefined } },
    output: new Output({
      json: true,
      quiet: true,
      write: () => undefined,
      writeError: () => undefined,
      terminal: false,
      columns: 80,
    }),
    signal: new AbortController().signal,
    cwd: repository,
    env: {},
    root: repository,
    catalogue,
  };
  return { server, stack: stackOn(server, config), copy: stackOn(server, copyConfig), context, nowSeconds };
}

/** As the command line opens one, with names of its own. */
function stackOn(server: Server, names: StackConfig): OpenStack {
  const client = speakDialect(server.client());
  const store = dynamoStore(client);
  return {
    name: 'local',
    config: names,
    tables: catalogue,
    endpoint: server.endpoint,
    engine: undefined,
    client,
    store,
    patience: new Patience(new AbortController().signal),
    read: {
      store,
      tables: catalogue,
      names,
      gates: unlimitedGates(),
      writeGates: unlimitedGates(),
      sleep,
      random: Math.random,
      digest: sha256,
    },
    lacks: () => findLacks(client, physicalName(ledger, names)),
    s3: () => Promise.reject(new Error('no S3 is needed here')),
    bulkClient: () => speakDialect(server.client(1)),
    close: async () => client.destroy(),
  };
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
