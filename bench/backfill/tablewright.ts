import { dynamoClient } from '../../engine/aws/clients.ts';
import { documentClients } from '../../engine/aws/migrate/document-clients.ts';
import { migrationStore } from '../../engine/aws/migrate/migration-store.ts';
import { dynamoStore } from '../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { defineMigration } from '../../engine/core/migrate/define-migration.ts';
import { speakDialect } from '../../engine/local/dynoxide-dialect.ts';
import { journalCodec } from '../../engine/local/journal-codec.ts';
import { localTuning, localWriteSockets } from '../../engine/local/local-engine.ts';
import { sha256 } from '../../engine/local/sha256.ts';
import { CapacityGates } from '../../engine/run/capacity/capacity-gate.ts';
import { breathe, every } from '../../engine/run/capacity/clock.ts';
import { defaultTuning, type MigrateEnvironment } from '../../engine/run/migrate/environment.ts';
import { runMigrations } from '../../engine/run/migrate/run-migrations.ts';
import { ensureTable } from '../../engine/run/tables/ensure-tables.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { region } from '../load/contender.ts';
import type { BackfillContender } from './job.ts';
import { ordersStep } from './orders-step.ts';

/** The command's own run: lock, ledger, journal, checkpoints, guarded batches, and the verify pass at the end. */
export const contender: BackfillContender = {
  async prepare({ endpoint, table, slow = false }) {
    const config = parseStackConfig('bench', { 'tablewright:nameSuffix': { outsideProd: '' } }, [ledger]);
    const { orders, step } = ordersStep(table);
    const migration = defineMigration({ id: `0001-index-${table}`, description: 'Orders by product', steps: [step] });
    const store = dynamoStore(dynamoClient({ region, endpoint }));
    await ensureTable({ store, config, sleep }, ledger);
    const unlimited = { unlimited: true } as const;
    const gates = { read: new CapacityGates(unlimited), write: new CapacityGates(unlimited) };
    // As the command does on the embedded engine.
    const sockets = slow ? {} : { maxSockets: localWriteSockets };
    const makeClient = () => speakDialect(dynamoClient({ region, endpoint, maxAttempts: 1, ...sockets }));
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
      breathe,
      emit: () => undefined,
      tuning: slow ? defaultTuning : { ...defaultTuning, ...localTuning },
    };
    return async () => {
      const source = { file: `${migration.id}.ts`, migration, checksum: 'x' };
      const report = await runMigrations(environment, [source], { accept: false }, new AbortController().signal);
      if (report.outcome !== 'done') throw new Error(`the run ended ${report.outcome}: ${JSON.stringify(report.results)}`);
    };
  },
};
