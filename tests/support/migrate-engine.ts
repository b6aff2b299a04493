import type { Migration } from '../../engine/core/migrate/define-migration.ts';
import type { MigrationSource } from '../../engine/core/migrate/migration-set.ts';
import { LedgerReader } from '../../engine/run/ledger/ledger-reader.ts';
import type { MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import { type RollbackOptions, type RollbackReport, runRollback } from '../../engine/run/migrate/rollback/run-rollback.ts';
import { type RunReport, runMigrations } from '../../engine/run/migrate/run-migrations.ts';
import * as testing from '../../engine/testing/migrate-environment.ts';
import type { Table } from '../../tables/model/table.ts';
import { tables as catalogue } from './project.ts';
import type { TestEngine } from './test-engine.ts';

export { testTuning } from '../../engine/testing/migrate-environment.ts';

/** As the package's own, with all tables of this repository where a test names none. */
export function migrateEnvironment(
  engine: Pick<TestEngine, 'endpoint' | 'config'>,
  options: testing.EnvironmentOptions = {},
): MigrateEnvironment {
  return testing.migrateEnvironment({ ...engine, tables: catalogue }, options);
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

/** Everything that a table holds, by key, in DynamoDB JSON: what two runs are compared by. */
export function contentOf(engine: TestEngine, table: Table): Promise<Readonly<Record<string, unknown>>> {
  return engine.content(table);
}

export const ledgerOf = (environment: MigrateEnvironment): LedgerReader => new LedgerReader(environment);
