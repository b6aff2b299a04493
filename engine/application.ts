import { randomBytes } from 'node:crypto';
import type { Pattern } from '../tables/model/pattern.ts';
import { catalogueOf, type Project } from '../tables/model/project.ts';
import { type StackConfig, tablesOf } from '../tables/model/stack/stack-config.ts';
import { type DynamoDBClient, dynamoClient } from './aws/clients.ts';
import { dynamoStore } from './aws/store/dynamo-store.ts';
import { noRetryPolicy } from './core/store/retry-policy.ts';
import { cursorSeal } from './cursor-seal.ts';
import { sha256 } from './local/sha256.ts';
import { unlimitedGates } from './run/capacity/capacity-gate.ts';
import { sleep, systemClock } from './run/capacity/clock.ts';
import { LedgerStates } from './run/cutover/read-states.ts';
import { ShadowRecorder } from './run/cutover/shadow-recorder.ts';
import { forApplications } from './run/read/for-applications.ts';
import type { ReadEnvironment, ReadStates } from './run/read/read-pattern.ts';
import { Reader } from './run/read/reader.ts';
import type { Consumed } from './run/read/reading.ts';
import type { WriteEnvironment } from './run/write/carry-out.ts';
import { KnownReferents } from './run/write/known-referents.ts';
import { Writer } from './run/write/writer.ts';

/** How a program opens a stack. */
export interface OpenOptions {
  /** Whose tables: `dev`, `prod`. The local stack has the names of `dev`. */
  readonly stack: string;
  readonly region: string;
  /** Any DynamoDB-compatible server instead of AWS. */
  readonly endpoint?: string | undefined;
  /** A client of the application's own; it is then not closed with the reader or writer. */
  readonly client?: DynamoDBClient | undefined;
  /** As in the stack's file, where it has other suffixes than the usual ones. */
  readonly nameSuffix?: StackConfig['nameSuffix'] | undefined;
  /** As in the stack's file: the base names of tables that have another than the catalogue's, by the catalogue's. */
  readonly baseNames?: Readonly<Record<string, string>> | undefined;
  /** The systems that the stack has; all when left out. */
  readonly systems?: StackConfig['systems'];
  /** For how long a record that another one refers to is taken to be there still, in milliseconds; 5,000 when left out. */
  readonly referenceMs?: number | undefined;
}

export interface OpenReaderOptions extends OpenOptions {
  /**
   * Seals the cursors of `page`; at least 16 bytes, the same in all processes that serve one list. Without it a random one
   * is made, and cursors hold within this process only.
   */
  readonly cursorSecret?: string | Uint8Array | undefined;
  /** `ledger`: each pattern the way its cut-over state says. `query`: always by Query, without asking. */
  readonly follow?: 'ledger' | 'query' | undefined;
  /** How old the knowledge of cut-over states may get, in milliseconds. */
  readonly refreshMs?: number | undefined;
  readonly onConsumed?: ((consumed: Consumed & { readonly pattern: string }) => void) | undefined;
  /** A shadow read that failed or could not be recorded. The answer was not touched by it. */
  readonly onShadowError?: ((pattern: string, error: unknown) => void) | undefined;
}

export interface OpenReader<P extends Project> extends Reader<P> {
  /** Waits for shadow reads that are under way and lets go of the connections. */
  close(): Promise<void>;
}

const alwaysQuery: ReadStates = { stateOf: async () => 'query' };

/** A reader of a stack's tables. */
export function openReader<P extends Project>(project: P, options: OpenReaderOptions): OpenReader<P> {
  const { follow = 'ledger' } = options;
  const { environment, letGo } = openStack(project, options);
  const states = new LedgerStates({ ledger: environment, steadyMs, refreshMs: options.refreshMs });
  const shadow = new ShadowRecorder({
    environment,
    stateOf: (pattern: Pattern) => states.known(pattern),
    nowMs: Date.now,
    onError: options.onShadowError,
  });
  const reader = new Reader<P>({
    environment,
    states: follow === 'ledger' ? states : alwaysQuery,
    shadow,
    cursors: cursorSeal(options.cursorSecret ?? randomBytes(32)),
    onConsumed: options.onConsumed,
  });
  return Object.assign(reader, {
    close: async () => {
      await shadow.settled();
      letGo();
    },
  });
}

export interface OpenWriter extends Writer {
  /** Lets go of the connections. */
  close(): Promise<void>;
}

/** A writer of a stack's tables. */
export function openWriter(project: Project, options: OpenOptions): OpenWriter {
  const { environment, letGo } = openStack(project, options);
  return Object.assign(new Writer(environment), { close: async () => letGo() });
}

const { steadyMs } = systemClock;

function openStack(
  project: Project,
  options: OpenOptions,
): { readonly environment: WriteEnvironment; readonly letGo: () => void } {
  const { stack, nameSuffix = {}, baseNames = {} } = options;
  const named = Object.fromEntries(Object.entries(baseNames).map(([table, baseName]) => [table, { baseName }]));
  const client = options.client ?? dynamoClient({ region: options.region, endpoint: options.endpoint });
  const environment: ReadEnvironment = {
    store: forApplications(dynamoStore(client)),
    tables: tablesOf({ systems: options.systems }, catalogueOf(project)),
    names: { project: project.name, stack, nameSuffix, tables: named },
    sleep,
    random: Math.random,
    digest: sha256,
    gates: unlimitedGates(),
    writeGates: unlimitedGates(),
    retry: noRetryPolicy,
  };
  const referents = new KnownReferents({ environment, steadyMs, cacheMs: options.referenceMs });
  const letGo = (): void => {
    if (options.client === undefined) client.destroy();
  };
  return { environment: { ...environment, referents }, letGo };
}
