import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { documentClients } from '../../engine/aws/migrate/document-clients.ts';
import { migrationStore } from '../../engine/aws/migrate/migration-store.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { every } from '../../engine/cli/migrate/migrate-environment.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { toJsonItem } from '../../engine/core/item/dynamo-json.ts';
import type { Migration } from '../../engine/core/migrate/define-migration.ts';
import type { MigrateEvent } from '../../engine/core/migrate/migrate-event.ts';
import type { MigrationSource } from '../../engine/core/migrate/migration-set.ts';
import { anotherDay } from '../../engine/local/another-day.ts';
import { speakDialect } from '../../engine/local/dynoxide-dialect.ts';
import { journalCodec } from '../../engine/local/journal-codec.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import { LedgerReader } from '../../engine/run/ledger/ledger-reader.ts';
import { defaultTuning, type MigrateEnvironment, type MigrateTuning } from '../../engine/run/migrate/environment.ts';
import { type RollbackOptions, type RollbackReport, runRollback } from '../../engine/run/migrate/rollback/run-rollback.ts';
import { type RunReport, runMigrations } from '../../engine/run/migrate/run-migrations.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { tables as catalogue } from './project.ts';
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
  batchesInFlight: 4,
  heartbeatMs: 500,
  progressEveryMs: 50,
  retry: { maxAttempts: 12, baseDelayMs: 1, maxDelayMs: 20 },
};

export function migrateEnvironment(
  engine: Pick<TestEngine, 'endpoint' | 'config'>,
  options: EnvironmentOptions = {},
): MigrateEnvironment {
  const endpoint = options.endpoint ?? engine.endpoint;
  const store = dynamoStore(dynamoClient({ region: engine.config.region, endpoint }));
  const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unlimited: true }) };
  const tuning = { ...testTuning, ...options.tuning };
  const makeClient = () => speakDialect(dynamoClient({ region: engine.config.region, endpoint, maxAttempts: 1 }));
  return {
    data: migrationStore(makeClient()),
    ledger: store,
    store,
    documentClient: documentClients(makeClient, {
      gates: options.overrides?.gates ?? gates,
      retry: tuning.retry,
      sleep,
      random: Math.random,
    }).open,
    config: engine.config,
    tables: options.tables ?? catalogue,
    gates,
    budget: { read: 0, write: 0 },
    actor: { who: 'tester', host: 'test:1', commit: 'abc' },
    codec: journalCodec,
    digest: sha256,
    nowMs: Date.now,
    sleep,
    random: Math.random,
    anotherDay,
    every,
    emit: (event) => void options.events?.push(event),
    tuning,
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

export function rollback(
  environment: MigrateEnvironment,
  migrations: readonly Migration[],
  to?: string,
  signal: AbortSignal = new AbortController().signal,
  options: RollbackOptions = {},
): Promise<RollbackReport> {
  return runRollback(
    environment,
    migrations.map((migration) => sourceOf(migration)),
    to,
    signal,
    options,
  );
}

/** What every migration must stand: it does its work, a second run changes nothing, a rollback restores every byte. */
export async function proveMigration(
  engine: TestEngine,
  environment: MigrateEnvironment,
  migration: Migration,
  check: () => Promise<void>,
): Promise<void> {
  // On its own: what it needs was run before, or is not what is tested.
  const alone = { ...migration, needs: { ...migration.needs, migrations: [] } };
  const tables = [...new Set(migration.steps.flatMap((step) => ('table' in step ? [step.table] : [])))];
  const contents = () => Promise.all(tables.map((table) => contentOf(engine, table)));
  const before = await contents();
  const first = await migrate(environment, [alone]);
  expect(first.outcome, JSON.stringify(first.results)).to.equal('done');
  expect(first.results.map(({ state }) => state)).to.deep.equal(['verified']);
  const after = await contents();
  expect(after).not.to.deep.equal(before);
  await check();
  const over = { ...sourceOf(alone), checksum: 'checksum-2' };
  await forgetState(environment, migration.id);
  const second = await runMigrations(environment, [over], { accept: true }, new AbortController().signal);
  expect(second.results.map(({ state }) => state)).to.deep.equal(['verified']);
  expect(second.results[0]?.counts.changed).to.equal(first.results[0]?.counts.changed);
  expect(await contents()).to.deep.equal(after);
  const undone = await rollback(environment, [alone]);
  expect(undone.outcome).to.equal('done');
  expect(await contents()).to.deep.equal(before);
}

/** As if it had been interrupted: the next run takes it up from the start because its source is another. */
async function forgetState(environment: MigrateEnvironment, id: string): Promise<void> {
  const Update = {
    TableName: physicalName(ledger, environment.config),
    Key: { PK: { S: 'MIGRATIONS' }, SK: { S: id } },
    UpdateExpression: 'SET #state = :state',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':state': { S: 'interrupted' } },
  };
  await environment.ledger.transact({ TransactItems: [{ Update }] });
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
