import { z } from 'zod';
import { type Index, type KeyAttribute, type KeySchema, onDemand, type Table } from '../table.ts';

/** Where an export keeps what its table was. */
export const schemaFile = 'schema.json';

const keyElement = z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) });
const throughput = z.object({ ReadCapacityUnits: z.number(), WriteCapacityUnits: z.number() });
const onDemandThroughput = z.object({ MaxReadRequestUnits: z.number(), MaxWriteRequestUnits: z.number() }).partial();
const index = z.object({
  IndexName: z.string(),
  KeySchema: z.array(keyElement),
  Projection: z.object({
    ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
    NonKeyAttributes: z.array(z.string()).optional(),
  }),
});

/**
 * A table as CreateTable takes it, with its TTL and tags: what `describe-table` says of it, without what is of one account
 * alone, such as the ARN of its key.
 */
const tableSchema = z.object({
  TableName: z.string(),
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: z.array(keyElement),
  BillingMode: z.enum(['PAY_PER_REQUEST', 'PROVISIONED']),
  ProvisionedThroughput: throughput.optional(),
  OnDemandThroughput: onDemandThroughput.optional(),
  GlobalSecondaryIndexes: z
    .array(index.extend({ ProvisionedThroughput: throughput.optional(), OnDemandThroughput: onDemandThroughput.optional() }))
    .optional(),
  LocalSecondaryIndexes: z.array(index).optional(),
  StreamSpecification: z.object({ StreamEnabled: z.boolean(), StreamViewType: z.string().optional() }).optional(),
  SSESpecification: z.object({ Enabled: z.boolean(), SSEType: z.enum(['KMS', 'AES256']).optional() }).optional(),
  TableClass: z.string().optional(),
  DeletionProtectionEnabled: z.boolean().optional(),
  TimeToLive: z.object({ AttributeName: z.string() }).optional(),
  Tags: z.array(z.object({ Key: z.string(), Value: z.string() })),
});

export type TableSchema = Readonly<z.output<typeof tableSchema>>;

/** Makes tables of which no catalogue knows. */
export interface SchemaStore {
  /** Undefined when there is no such table. */
  describe(tableName: string, signal?: AbortSignal): Promise<TableSchema | undefined>;
  create(schema: TableSchema, tableName: string, signal?: AbortSignal): Promise<void>;
}

export function printSchema(schema: TableSchema): string {
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Every way in which the text is no schema. */
export function parseSchema(text: string): TableSchema | { readonly problems: readonly string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problems: ['expected a JSON object, found text that is no JSON'] };
  }
  const read = tableSchema.safeParse(json);
  if (read.success) return read.data;
  return { problems: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
}

/** The table as the toolkit works on it: its key, indexes and TTL; nothing is known of its records. */
export function tableOfSchema(schema: TableSchema): Table {
  const { TableName: name, TimeToLive: ttl, GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = schema;
  const indexes = [...GlobalSecondaryIndexes, ...LocalSecondaryIndexes].map((one): Index => {
    const { ProjectionType: type, NonKeyAttributes: include = [] } = one.Projection;
    const hash = keyParts(schema, one.KeySchema, 'HASH');
    const range = keyParts(schema, one.KeySchema, 'RANGE');
    return { name: one.IndexName, hash, range, projection: type === 'INCLUDE' ? { include } : type };
  });
  return {
    name,
    system: 'none',
    description: 'a table without an entry in the catalogue',
    suffix: 'outside-prod',
    key: keyOf(schema, schema.KeySchema),
    indexes,
    ...(ttl === undefined ? {} : { ttl: ttl.AttributeName }),
    billing: { development: onDemand, production: onDemand },
    entities: [],
    patterns: {},
  };
}

function keyOf(schema: TableSchema, elements: TableSchema['KeySchema']): KeySchema {
  const [hash = { name: '', type: 'S' as const }] = keyParts(schema, elements, 'HASH');
  const [range] = keyParts(schema, elements, 'RANGE');
  return { hash, ...(range === undefined ? {} : { range }) };
}

function keyParts(
  { AttributeDefinitions }: TableSchema,
  elements: TableSchema['KeySchema'],
  kind: 'HASH' | 'RANGE',
): readonly KeyAttribute[] {
  return elements.flatMap(({ AttributeName: name, KeyType }) => {
    const type = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S';
    return KeyType === kind ? [{ name, type }] : [];
  });
}
