import { join } from 'node:path';
import type { Table } from '../../tables/model/table.ts';
import { type StackConfig, tablesOf } from '../../tables/stack-config.ts';
import { type ClientOptions, type DynamoDBClient, dynamoClient, type S3Client, s3Client } from '../aws/clients.ts';
import { dynamoStore } from '../aws/store/dynamo-store.ts';
import type { Store } from '../core/store/store.ts';
import { speakDialect } from '../local/dynoxide-dialect.ts';
import { localWriteSockets, openDynamo, openS3 } from '../local/local-engine.ts';
import type { Service } from '../local/shared-service.ts';
import { unlimitedGates } from '../run/capacity/capacity-gate.ts';
import type { ReadEnvironment } from '../run/read/read-pattern.ts';
import type { Context } from './context.ts';
import { sleep } from './read-environment.ts';
import { localStack, readStack } from './read-stack.ts';

/** A stack that can be talked to. */
export interface OpenStack {
  readonly name: string;
  readonly config: StackConfig;
  /** The tables that this stack deploys. */
  readonly tables: readonly Table[];
  readonly endpoint: string | undefined;
  readonly client: DynamoDBClient;
  readonly store: Store;
  /** What reading its patterns needs. */
  readonly read: ReadEnvironment;
  /** The S3 that goes with the stack, opened when it is first asked for. */
  s3(port?: number): Promise<{ readonly client: S3Client; readonly endpoint: string | undefined }>;
  /**
   * A client that repeats nothing by itself, for work with a budget of its own that has to see every refusal. Whoever asks
   * for it destroys it.
   */
  bulkClient(use?: { readonly batchWrites: boolean }): DynamoDBClient;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** The port of the embedded engine. */
  readonly port?: number | undefined;
}

export function localDirectory(root: string): string {
  return join(root, '.tablewright');
}

/** The stack of the command line: AWS, a given endpoint, or the embedded engine on this machine. */
export async function openStack(context: Context, options: OpenOptions = {}): Promise<OpenStack> {
  const { stack: name, endpoint: given } = context.common;
  const config = await readStack(name, context.root, context.catalogue);
  const local = name === localStack && given === undefined;
  const data = { kind: 'directory', directory: localDirectory(context.root) } as const;
  const services: Service[] = [];
  const open = async (opened: Promise<Service>): Promise<Service> => {
    const service = await opened;
    services.push(service);
    return service;
  };
  const endpoint = local ? (await open(openDynamo({ data, port: options.port }))).endpoint : given;
  const dynamo = (settings: Partial<ClientOptions> = {}): DynamoDBClient => {
    const made = dynamoClient({ region: config.region, endpoint, ...settings });
    return endpoint === undefined ? made : speakDialect(made);
  };
  const client = dynamo();
  const store = dynamoStore(client);
  const tables = tablesOf(config, context.catalogue);
  return {
    name,
    config,
    tables,
    endpoint,
    client,
    store,
    read: { store, tables, names: config, gates: unlimitedGates(), sleep, random: Math.random },
    s3: async (port) => {
      const s3Endpoint = name === localStack ? (await open(openS3({ data, port }))).endpoint : undefined;
      return { client: s3Client({ region: config.region, endpoint: s3Endpoint }), endpoint: s3Endpoint };
    },
    bulkClient: (use) => {
      const sockets = local && use?.batchWrites ? { maxSockets: localWriteSockets } : {};
      return dynamo({ maxAttempts: 1, ...sockets });
    },
    close: async () => {
      client.destroy();
      await Promise.all(services.map((service) => service.release()));
    },
  };
}

/** Runs `work` on the stack and lets go of it, whatever happens. */
export async function withStack<T>(context: Context, options: OpenOptions, work: (stack: OpenStack) => Promise<T>): Promise<T> {
  const stack = await openStack(context, options);
  try {
    return await work(stack);
  } finally {
    await stack.close();
  }
}
