import { join } from 'node:path';
import { TablewrightError } from '../../tables/model/error.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { physicalName, type StackConfig, tablesOf } from '../../tables/model/stack/stack-config.ts';
import { naturalIndexes, type Table } from '../../tables/model/table.ts';
import { type ClientOptions, type DynamoDBClient, dynamoClient, isAmazon, localCredentials } from '../aws/clients.ts';
import { type S3Client, s3Client } from '../aws/command-clients.ts';
import { Patience } from '../aws/patience.ts';
import { dynamoStore } from '../aws/store/dynamo-store.ts';
import { findLacks } from '../aws/store/find-features.ts';
import type { Lacks } from '../core/store/features.ts';
import { briefRetryPolicy } from '../core/store/retry-policy.ts';
import type { Store } from '../core/store/store.ts';
import type { EngineName } from '../local/choose-engine.ts';
import { speakDialect } from '../local/dynoxide-dialect.ts';
import { localWriteSockets, openDynamo, openS3 } from '../local/local-engine.ts';
import { sha256 } from '../local/sha256.ts';
import type { Service } from '../local/shared-service.ts';
import { unlimitedGates } from '../run/capacity/capacity-gate.ts';
import type { ReadEnvironment } from '../run/read/read-pattern.ts';
import type { Context } from './context.ts';
import { localStack } from './local-stack.ts';
import { sleep } from './read-environment.ts';
import { readStack } from './read-stack.ts';
import type { Endpoint } from './spec/endpoints.js';

/** A stack that can be talked to. */
export interface OpenStack {
  readonly name: string;
  readonly config: StackConfig;
  /** The tables that this stack deploys. */
  readonly tables: readonly Table[];
  readonly endpoint: string | undefined;
  /** The engine on this machine that holds the tables; undefined for AWS and for servers that others run. */
  readonly engine: EngineName | undefined;
  /** For what is not about items. */
  readonly client: DynamoDBClient;
  /** Repeats nothing that is about items: `run/store` does. */
  readonly store: Store;
  /** For further clients of the command. */
  readonly patience: Patience;
  /** What reading its patterns needs. */
  readonly read: ReadEnvironment;
  /** What the server cannot do, found out once; undefined for AWS, which is not asked. */
  lacks(signal?: AbortSignal): Promise<Lacks | undefined>;
  /** The S3 that goes with the stack, opened when it is first asked for. */
  s3(port?: number): Promise<{ readonly client: S3Client; readonly endpoint: string | undefined }>;
  /**
   * A client that repeats nothing by itself, for work with a budget of its own that has to see every refusal. Whoever asks
   * for it destroys it.
   */
  bulkClient(use?: BulkUse): DynamoDBClient;
  close(): Promise<void>;
}

export interface BulkUse {
  readonly batchWrites: boolean;
  /** Threads that send; the caller's own is enough by default. */
  readonly threads?: number | undefined;
}

export interface OpenStackOptions {
  /** The port of the embedded engine. */
  readonly port?: number | undefined;
  /** Its port if that is free; any free one otherwise. */
  readonly preferredPort?: number | undefined;
  /** Whose credentials to use, by the name of their profile; the caller's own when left out. */
  readonly profile?: string | undefined;
  /** Settings of no stack's file: where a table is in no stack. */
  readonly config?: StackConfig | undefined;
}

export function localDirectory(root: string): string {
  return join(root, '.tablewright');
}

/** The stack of the command line: AWS, a given endpoint, or an engine on this machine. */
export async function openStack(context: Context, options: OpenStackOptions = {}): Promise<OpenStack> {
  const { common } = context;
  const { endpoints } = common;
  const name = options.config?.stack ?? common.stack;
  const config = options.config ?? (await readStack(name, context.root, context.catalogue, context.project));
  const services: Service[] = [];
  const patience = new Patience(context.signal);
  const data = { kind: 'directory', directory: localDirectory(context.root) } as const;
  const started = name === localStack && endpoints.dynamodb === undefined;
  const tables = tablesOf(config, context.catalogue);
  const natural = naturalIndexes(tables);
  const own = started
    ? await openDynamo({ data, ...portsOf(options), engine: common.engine, naturalIndexes: natural })
    : undefined;
  if (own !== undefined) services.push(own);
  showSource(context, 'DynamoDB', endpoints.dynamodb);
  const endpoint = own?.endpoint ?? endpoints.dynamodb?.url;
  const dynamo = (settings: Partial<ClientOptions> = {}): DynamoDBClient => {
    const credentials = own === undefined ? undefined : localCredentials;
    const made = dynamoClient({ region: config.region, endpoint, credentials, profile: options.profile, patience, ...settings });
    return endpoint === undefined ? made : speakDialect(made);
  };
  const client = dynamo();
  const items = dynamo({ maxAttempts: 1 });
  const store = dynamoStore(items, client);
  return {
    name,
    config,
    tables,
    endpoint,
    engine: own?.engine,
    client,
    store,
    patience,
    read: {
      store,
      tables,
      names: config,
      gates: unlimitedGates(),
      writeGates: unlimitedGates(),
      sleep,
      random: Math.random,
      digest: sha256,
      retry: briefRetryPolicy,
    },
    lacks: once(async (signal) => {
      if (endpoint === undefined || isAmazon(endpoint)) return undefined;
      const probed = { table: physicalName(ledger, config), naturalKeys: natural.length > 0 };
      return findLacks(client, probed, signal);
    }),
    s3: async (port) => {
      if (endpoints.s3 !== undefined || name !== localStack) {
        showSource(context, 'S3', endpoints.s3);
        const { url } = endpoints.s3 ?? {};
        const client = await s3Client({ region: config.region, endpoint: url, profile: options.profile, patience });
        return { client, endpoint: url };
      }
      const service = await openS3({ data, port });
      services.push(service);
      const settings = { region: config.region, endpoint: service.endpoint, credentials: localCredentials, patience };
      return { client: await s3Client(settings), endpoint: service.endpoint };
    },
    bulkClient: (use) => {
      if (own !== undefined && use?.threads !== undefined) throw needlessThreads();
      return dynamo({ maxAttempts: 1, ...connectionsFor(own?.engine, use), threads: use?.threads });
    },
    close: async () => {
      client.destroy();
      items.destroy();
      await Promise.all(services.map((service) => service.release()));
    },
  };
}

/** What is known of the embedded engine is found out of other servers. */
function connectionsFor(engine: EngineName | undefined, use: BulkUse | undefined): Partial<ClientOptions> {
  if (!use?.batchWrites) return {};
  return engine === 'dynoxide' ? { maxSockets: localWriteSockets } : { choosesConnections: true };
}

function needlessThreads(): TablewrightError {
  const what = '--threads: the engine on this machine writes one item at a time, so threads would only get in its way';
  return new TablewrightError('BAD_ARGUMENT', what, {
    next: 'Leave --threads out; it is for DynamoDB itself (--stack) and for servers elsewhere (--endpoint).',
  });
}
const portsOf = ({ port, preferredPort }: OpenStackOptions) => ({ port, preferredPort });

/** Asks at the first call and remembers; a failure is not remembered. */
function once<T>(ask: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let answer: Promise<T> | undefined;
  return (signal) => {
    answer ??= ask(signal).catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}

/** What nobody wrote on the command line should not go unseen. */
function showSource({ output }: Context, service: string, endpoint: Endpoint | undefined): void {
  if (endpoint === undefined || endpoint.source === '--endpoint') return;
  const { source, url } = endpoint;
  output.aside({ event: 'endpoint', service, source, url }, `Using ${source}: ${service} at ${url}`);
}

/** Runs `work` on the stack and lets go of it, whatever happens. */
export async function withStack<T>(
  context: Context,
  options: OpenStackOptions,
  work: (stack: OpenStack) => Promise<T>,
): Promise<T> {
  const stack = await openStack(context, options);
  try {
    return await work(stack);
  } finally {
    await stack.close();
  }
}
