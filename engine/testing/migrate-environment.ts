import { dynamoClient } from '../aws/clients.ts';
import { documentClients } from '../aws/migrate/document-clients.ts';
import { migrationStore } from '../aws/migrate/migration-store.ts';
import { dynamoStore } from '../aws/store/dynamo-store.ts';
import type { MigrateEvent } from '../core/migrate/migrate-event.ts';
import { anotherDay } from '../local/another-day.ts';
import { speakDialect } from '../local/dynoxide-dialect.ts';
import { journalCodec } from '../local/journal-codec.ts';
import { sha256 } from '../local/sha256.ts';
import { CapacityGates } from '../run/capacity/capacity-gate.ts';
import { breathe, every, sleep } from '../run/capacity/clock.ts';
import { defaultTuning, type MigrateEnvironment, type MigrateTuning } from '../run/migrate/environment.ts';
import type { TestBed } from './test-bed.ts';

export interface EnvironmentOptions {
  /** Another server in front of the engine. */
  readonly endpoint?: string;
  readonly tables?: TestBed['tables'];
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

/** What a run of migrations needs on a test's engine. */
export function migrateEnvironment(
  bed: Pick<TestBed, 'endpoint' | 'config' | 'tables'>,
  options: EnvironmentOptions = {},
): MigrateEnvironment {
  const endpoint = options.endpoint ?? bed.endpoint;
  const { region } = bed.config;
  const store = dynamoStore(dynamoClient({ region, endpoint }));
  const gates = { read: new CapacityGates({ unlimited: true }), write: new CapacityGates({ unlimited: true }) };
  const tuning = { ...testTuning, ...options.tuning };
  const makeClient = () => speakDialect(dynamoClient({ region, endpoint, maxAttempts: 1 }));
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
    config: bed.config,
    tables: options.tables ?? bed.tables,
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
    breathe,
    emit: (event) => void options.events?.push(event),
    tuning,
    ...options.overrides,
  };
}
