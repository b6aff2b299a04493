import assert from 'node:assert/strict';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { ledgerPartition } from '../../tables/model/ledger/ledger-keys.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import type { Migration } from '../core/migrate/define-migration.ts';
import type { MigrationSource } from '../core/migrate/migration-set.ts';
import type { MigrateEnvironment } from '../run/migrate/environment.ts';
import { runRollback } from '../run/migrate/rollback/run-rollback.ts';
import { type RunReport, runMigrations } from '../run/migrate/run-migrations.ts';
import { migrateEnvironment } from './migrate-environment.ts';
import type { TestBed } from './test-bed.ts';

export interface ProofOptions {
  /** Another way to the engine than the usual one. */
  readonly environment?: MigrateEnvironment;
}

/** What of a test bed the proof works on. */
export type ProofBed = Pick<TestBed, 'endpoint' | 'client' | 'config' | 'tables' | 'content'>;

/**
 * What every migration must stand: it changes something, and what `check` wants; run again it changes nothing; a rollback
 * restores every byte.
 */
export async function proveMigration(
  bed: ProofBed,
  migration: Migration,
  check: () => void | Promise<void>,
  options: ProofOptions = {},
): Promise<void> {
  const { environment = migrateEnvironment(bed) } = options;
  // On its own: what it needs was run before, or is not what is tested.
  const alone = { ...migration, needs: { ...migration.needs, migrations: [] } };
  const tables: readonly Table[] = [...new Set(migration.steps.flatMap((step) => ('table' in step ? [step.table] : [])))];
  const contents = () => Promise.all(tables.map((table) => bed.content(table)));
  const before = await contents();
  const first = await run(environment, sourceOf(alone, 'first'));
  assert.deepEqual(statesOf(first), ['verified'], describe(first));
  const after = await contents();
  assert.notDeepEqual(after, before, `${migration.id} changed nothing`);
  await check();
  await interrupt(bed, migration.id);
  const second = await run(environment, sourceOf(alone, 'second'));
  assert.deepEqual(statesOf(second), ['verified'], describe(second));
  assert.equal(second.results[0]?.counts.changed, first.results[0]?.counts.changed, 'the second run counted anew');
  assert.deepEqual(await contents(), after, `${migration.id} changed something when it was run again`);
  const undone = await runRollback(environment, [sourceOf(alone, 'second')], undefined, new AbortController().signal, {});
  assert.equal(undone.outcome, 'done', `the rollback of ${migration.id} ended as ${undone.outcome}`);
  assert.deepEqual(await contents(), before, `the rollback of ${migration.id} did not restore what there was`);
}

function run(environment: MigrateEnvironment, source: MigrationSource): Promise<RunReport> {
  return runMigrations(environment, [source], { accept: true }, new AbortController().signal);
}

function sourceOf(migration: Migration, checksum: string): MigrationSource {
  return { file: `${migration.id}.ts`, migration, checksum };
}

const statesOf = ({ results }: RunReport) => results.map(({ state }) => state);

function describe({ outcome, results }: RunReport): string {
  const reasons = results.flatMap(({ error, deadLetters }) => [
    ...(error === undefined ? [] : [error.message]),
    ...deadLetters.map(({ key, reason }) => `${key}: ${reason}`),
  ]);
  return [`the run ended as ${outcome}`, ...reasons].join('\n');
}

/** As if it had been interrupted: the next run takes it up from the start, because its source is another. */
async function interrupt({ client, config }: ProofBed, id: string): Promise<void> {
  const TableName = physicalName(ledger, config);
  const Key = { PK: { S: ledgerPartition('state') }, SK: { S: id } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  await client.send(new PutItemCommand({ TableName, Item: { ...Item, state: { S: 'interrupted' } } }));
}
