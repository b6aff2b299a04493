import { execFileSync } from 'node:child_process';
import { hostname, userInfo } from 'node:os';
import { documentClients } from '../../aws/migrate/document-clients.ts';
import { indexProgress } from '../../aws/migrate/index-progress.ts';
import { migrationStore } from '../../aws/migrate/migration-store.ts';
import { tableListeners } from '../../aws/migrate/table-listeners.ts';
import { deleteIndex } from '../../aws/tables/delete-index.ts';
import type { MigrateEvent } from '../../core/migrate/migrate-event.ts';
import { anotherDay } from '../../local/another-day.ts';
import { journalCodec } from '../../local/journal-codec.ts';
import { localTuning } from '../../local/local-engine.ts';
import { sha256 } from '../../local/sha256.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { breathe, every } from '../../run/capacity/clock.ts';
import { type Actor, defaultTuning, type MigrateEnvironment, type MigrateTuning } from '../../run/migrate/environment.ts';
import { budgetOf, rateOf } from '../budget-of.ts';
import { localStack } from '../local-stack.ts';
import type { OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { stepTransfer } from '../transfer/step-transfer.ts';
import { type AwsBeside, alarmsOf, awsBeside, isAws } from './aws-beside.ts';

export interface MigrateOptions {
  readonly root: string;
  readonly emit: (event: MigrateEvent) => void;
  readonly signal: AbortSignal;
  /** Units per second; the stack's budgets when left out. */
  readonly rate?: number | undefined;
  readonly readRate?: number | undefined;
  readonly includeExpired?: boolean | undefined;
  /** Hold still while an alarm of the stack rings. */
  readonly pauseOnAlarm?: boolean | undefined;
  readonly tuning?: Partial<MigrateTuning> | undefined;
}

export interface MigrateSession {
  readonly environment: MigrateEnvironment;
  close(): void;
}

/** What a run needs, from an open stack and this process. */
export function openMigrateSession(stack: OpenStack, options: MigrateOptions): MigrateSession {
  // The runner repeats by its own budget and has to see every refusal.
  const client = stack.bulkClient({ batchWrites: true });
  const gates = {
    read: new CapacityGates(budgetOf(stack, 'read', options.readRate)),
    write: new CapacityGates(budgetOf(stack, 'write', options.rate)),
  };
  const local = stack.engine === 'dynoxide' ? localTuning : {};
  const tuning = { ...defaultTuning, ...local, ...options.tuning };
  const beside = awsBeside(stack);
  const alarms = options.pauseOnAlarm === true ? { alarms: alarmsOf(stack, beside) } : {};
  const documents = documentClients(() => stack.bulkClient(), { gates, retry: tuning.retry, sleep, random: Math.random });
  return {
    environment: {
      data: migrationStore(client, stack.client),
      ledger: stack.store,
      store: stack.store,
      documentClient: documents.open,
      config: stack.config,
      tables: stack.tables,
      gates,
      transfer: stepTransfer({ stack, root: options.root, client, gates }),
      budget: { read: finite(rateOf(stack, 'read', options.readRate)), write: finite(rateOf(stack, 'write', options.rate)) },
      actor: actorOf(options.root),
      codec: journalCodec,
      digest: sha256,
      nowMs: Date.now,
      steadyMs: () => performance.now(),
      sleep,
      random: Math.random,
      anotherDay,
      every,
      breathe,
      emit: options.emit,
      tuning,
      signal: options.signal,
      includeExpired: options.includeExpired,
      ...alarms,
      ...indexesOf(stack, beside),
      listeners: (tableName, signal) => tableListeners(stack.client, beside.lambda, tableName, signal),
    },
    close: () => {
      beside.close();
      documents.close();
      client.destroy();
    },
  };
}

/** Pulumi alone makes and drops indexes of a deployed stack; on this machine the migration does. */
function indexesOf(stack: OpenStack, { cloudWatch }: AwsBeside): Pick<MigrateEnvironment, 'indexes' | 'indexProgress'> {
  if (stack.name !== localStack) return isAws(stack) ? { indexProgress: indexProgress(cloudWatch, Date.now) } : {};
  return {
    indexes: {
      add: (request, signal) => stack.store.addIndex(request, signal),
      drop: (tableName, index, signal) => deleteIndex(stack.client, tableName, index, signal),
    },
  };
}

/** 0 stands for no limit, in the ledger and in reports. */
const finite = (units: number): number => (Number.isFinite(units) ? units : 0);

export function actorOf(root: string): Actor {
  return { who: userName(), host: `${hostname()}:${process.pid}`, commit: commitOf(root) };
}

function userName(): string {
  try {
    return process.env.TABLEWRIGHT_WHO ?? userInfo().username;
  } catch {
    return 'unknown';
  }
}

function commitOf(root: string): string | undefined {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
