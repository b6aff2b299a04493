import { dynamoClient } from '../../engine/aws/clients.ts';
import { documentClients } from '../../engine/aws/migrate/document-clients.ts';
import { migrationStore } from '../../engine/aws/migrate/migration-store.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { defineMigration } from '../../engine/core/migrate/define-migration.ts';
import { derivedBackfill } from '../../engine/core/migrate/derived-backfill.ts';
import { speakDialect } from '../../engine/local/dynoxide-dialect.ts';
import { journalCodec } from '../../engine/local/journal-codec.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import { every } from '../../engine/run/capacity/clock.ts';
import { defaultTuning, type MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import { runMigrations } from '../../engine/run/migrate/run-migrations.ts';
import { ensureTable } from '../../engine/run/tables/ensure-tables.ts';
import { text } from '../../tables/model/attributes.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { defineTable } from '../../tables/model/table.ts';
import { region } from '../load/contender.ts';
import type { BackfillContender } from './job.ts';

const order = defineEntity({
  name: 'ORDER',
  description: 'An order',
  attributes: { order_id: text(), client_id: text(), product_id: text(), created_at: text() },
  derive: [
    { set: { PK: 'CLIENT#{client_id}', SK: 'ORDER#{created_at}#{order_id}' } },
    { set: { GSI1_PK: 'PRODUCT#{product_id}', GSI1_SK: '{created_at}' } },
  ],
});

/** The command's own run: lock, ledger, journal, checkpoints, guarded batches, and the verify pass at the end. */
export const contender: BackfillContender = {
  async prepare({ endpoint, table }) {
    const config = parseStackConfig('bench', { 'tablewright:nameSuffix': { outsideProd: '' } }, [ledger]);
    const orders = defineTable({
      name: table,
      system: 'bench',
      namespace: 'bench',
      description: 'Orders',
      hash: 'PK',
      range: 'SK',
      indexes: { by_product: { hash: 'GSI1_PK', range: 'GSI1_SK' } },
      entities: [order],
    });
    const step = derivedBackfill({ name: 'keys', table: orders, entities: [order], attributes: ['GSI1_PK', 'GSI1_SK'] });
    const migration = defineMigration({ id: `0001-index-${table}`, description: 'Orders by product', steps: [step] });
    const store = dynamoStore(dynamoClient({ region, endpoint }));
    await ensureTable({ store, config, sleep }, ledger);
    const unlimited = { unlimited: true } as const;
    const gates = { read: new CapacityGates(unlimited), write: new CapacityGates(unlimited) };
    const makeClient = () => speakDialect(dynamoClient({ region, endpoint, maxAttempts: 1 }));
    const environment: MigrateEnvironment = {
      data: migrationStore(makeClient()),
      ledger: store,
      store,
      documentClient: documentClients(makeClient, { gates, retry: defaultTuning.retry, sleep, random: Math.random }).open,
      config,
      tables: [orders, ledger],
      gates,
      budget: { read: 0, write: 0 },
      actor: { who: 'bench', host: 'bench' },
      codec: journalCodec,
      digest: sha256,
      nowMs: Date.now,
      sleep,
      random: Math.random,
      every,
      emit: () => undefined,
      tuning: defaultTuning,
    };
    return async () => {
      const source = { file: `${migration.id}.ts`, migration, checksum: 'x' };
      const report = await runMigrations(environment, [source], { accept: false }, new AbortController().signal);
      if (report.outcome !== 'done') throw new Error(`the run ended ${report.outcome}: ${JSON.stringify(report.results)}`);
    };
  },
};
