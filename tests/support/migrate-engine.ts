import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { dynamoStore } from '../../engine/aws/dynamo-store.ts';
import { migrationStore } from '../../engine/aws/migration-store.ts';
import { codec, every } from '../../engine/cli/migrate/migrate-environment.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { toJsonItem } from '../../engine/core/dynamo-json.ts';
import type { Migration } from '../../engine/core/migrate/define-migration.ts';
import type { MigrateEvent } from '../../engine/core/migrate/migrate-event.ts';
import type { MigrationSource } from '../../engine/core/migrate/migration-set.ts';
import { CapacityGates } from '../../engine/run/capacity-gate.ts';
import { defaultTuning, type MigrateEnvironment, type MigrateTuning } from '../../engine/run/migrate/environment.ts';
import { LedgerReader } from '../../engine/run/migrate/ledger-reader.ts';
import { type RunReport, runMigrations } from '../../engine/run/migrate/run-migrations.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import type { Table } from '../../tables/model/table.ts';
import { physicalName } from '../../tables/stack-config.ts';
import { tables as catalogue } from '../../tables/tables.ts';
import type { TestEngine } from './test-engine.ts';

export interface EnvironmentOptions {
  /** Another server in front of the engine. */
  readonly endpoint?: string;
  readonly tables?: readonly Table[];
  readonly tuning?: Partial<MigrateTuning>;
  readonly events?: MigrateEvent[];
  readonly overrides?: Partial<MigrateEnvironment>;
}

/** Quick retries and a small page, so that a few items make several pages. */
export const testTuning: MigrateTuning = {
  ...defaultTuning,
  segments: 2,
  pageItems: 10,
  heartbeatMs: 500,
  progressEveryMs: 50,
  retry: { maxAttempts: 12, baseDelayMs: 1, maxDelayMs: 20 },
};

export function migrateEnvironment(engine: TestEngine, options: EnvironmentOptions = {}): MigrateEnvironment {
  const endpoint = options.endpoint ?? engine.endpoint;
  const store = dynamoStore(dynamoClient({ region: engine.config.region, endpoint }));
  return {
    data: migrationStore(dynamoClient({ region: engine.config.region, endpoint, maxAttempts: 1 })),
    ledger: store,
    store,
    config: engine.config,
    tables: options.tables ?? catalogue,
    gates: { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unlimited: true }) },
    budget: { read: 0, write: 0 },
    actor: { who: 'tester', host: 'test:1', commit: 'abc' },
    codec,
    now: Date.now,
    sleep,
    random: Math.random,
    every,
    emit: (event) => void options.events?.push(event),
    tuning: { ...testTuning, ...options.tuning },
    ...options.overrides,
  };
}

export function sourceOf(migration: Migration, checksum = 'checksum-1'): MigrationSource {
  return { file: `${migration.id}.ts`, migration, checksum };
}

/** Runs migrations as `migrate` does. */
export function migrate(
  environment: MigrateEnvironment,
  migrations: readonly Migration[],
  options: { readonly to?: string; readonly accept?: boolean; readonly signal?: AbortSignal } = {},
): Promise<RunReport> {
  const sources = migrations.map((migration) => sourceOf(migration));
  const request = { to: options.to, accept: options.accept ?? false };
  return runMigrations(environment, sources, request, options.signal ?? new AbortController().signal);
}

/** Everything that a table holds, by key, in DynamoDB JSON: what two runs are compared by. */
export async function contentOf(engine: TestEngine, table: Table): Promise<Readonly<Record<string, unknown>>> {
  const content: Record<string, unknown> = {};
  let from: Item | undefined;
  do {
    const page = await engine.client.send(
      new ScanCommand({ TableName: physicalName(table, engine.config), ExclusiveStartKey: from, ConsistentRead: true }),
    );
    for (const item of (page.Items ?? []) as Item[]) {
      const key = [table.key.hash.name, table.key.range?.name ?? ''].map((name) => JSON.stringify(item[name])).join();
      content[key] = Object.fromEntries(Object.entries(toJsonItem(item)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    }
    from = page.LastEvaluatedKey as Item | undefined;
  } while (from !== undefined);
  return Object.fromEntries(Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export const ledgerOf = (environment: MigrateEnvironment): LedgerReader => new LedgerReader(environment);
