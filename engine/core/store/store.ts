import type { Item } from '../../../tables/model/attribute-value.ts';

/**
 * The DynamoDB calls that orchestration needs, in the terms of the DynamoDB API (physical names, raw attribute values).
 * `engine/aws` implements it with the SDK; `engine/core` builds the requests.
 */
export interface Store {
  getItem(request: GetRequest, signal?: AbortSignal): Promise<GetAnswer>;
  query(request: QueryRequest, signal?: AbortSignal): Promise<PageAnswer>;
  scan(request: ScanRequest, signal?: AbortSignal): Promise<PageAnswer>;
  batchGet(request: BatchGetRequest, signal?: AbortSignal): Promise<BatchGetAnswer>;
  transact(request: TransactRequest, signal?: AbortSignal): Promise<TransactAnswer>;
  describeTable(tableName: string, signal?: AbortSignal): Promise<TableDescription | undefined>;
  createTable(request: CreateTableRequest, signal?: AbortSignal): Promise<void>;
  /** Begins to add an index to a table that is there; it is ready when it is ACTIVE. */
  addIndex(request: AddIndexRequest, signal?: AbortSignal): Promise<void>;
  enableTtl(tableName: string, attribute: string, signal?: AbortSignal): Promise<void>;
}

/** Whoever gives pages of a table; an export has its items as text. */
export interface PageStore<T = Item> {
  scan(request: ScanRequest, signal?: AbortSignal): Promise<PageAnswer<T>>;
}

interface Named {
  readonly TableName: string;
}

/** What reads may ask for beside their records; the store asks in any case. */
interface Measured {
  readonly ReturnConsumedCapacity?: 'TOTAL';
}

export interface Expressions {
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
}

export interface GetRequest extends Named, Measured {
  readonly Key: Item;
  readonly ConsistentRead?: boolean;
}

export interface GetAnswer {
  readonly item: Item | undefined;
  /** Consumed read units. */
  readonly units: number;
}

export interface QueryRequest extends Named, Measured, Expressions {
  readonly IndexName?: string;
  readonly KeyConditionExpression: string;
  readonly FilterExpression?: string;
  readonly ScanIndexForward: boolean;
  /** Only how many, without the records. */
  readonly Select?: 'COUNT';
  readonly Limit?: number;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Item;
}

export interface ScanRequest extends Named, Measured, Expressions {
  readonly IndexName?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly Limit?: number;
  readonly Segment?: number;
  readonly TotalSegments?: number;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Item;
}

export interface PageAnswer<T = Item> {
  readonly items: readonly T[];
  /** Where to go on; undefined at the end. */
  readonly next: Item | undefined;
  /** How many records matched; the same as `items` unless only their number was asked for. */
  readonly count?: number;
  /** How many were looked at: those that a filter left out are paid for, too. The same as `items` when it is not said. */
  readonly scanned?: number;
  readonly units: number;
}

export interface BatchGetRequest extends Named {
  readonly Keys: Item[];
  readonly ConsistentRead?: boolean;
}

export interface BatchGetAnswer {
  readonly items: readonly Item[];
  readonly unprocessed: readonly Item[];
  readonly units: number;
}

export type TransactEntry =
  | { readonly Put: Named & Expressions & { readonly Item: Item; readonly ConditionExpression?: string } }
  | {
      readonly Update: Named &
        Expressions & { readonly Key: Item; readonly UpdateExpression: string; readonly ConditionExpression?: string };
    }
  | { readonly Delete: Named & Expressions & { readonly Key: Item; readonly ConditionExpression?: string } }
  | { readonly ConditionCheck: Named & Expressions & { readonly Key: Item; readonly ConditionExpression: string } };

export interface TransactRequest {
  readonly TransactItems: TransactEntry[];
  /** Makes a repeated request harmless for ten minutes (TransactWriteItems API reference, ClientRequestToken). */
  readonly ClientRequestToken?: string;
}

/** All were written, or none: then the code per entry that DynamoDB gave (`None` where it had no objection). */
export type TransactAnswer =
  | {
      readonly done: true;
      /** Write units by table, where the server says. */
      readonly units?: Readonly<Record<string, number>>;
    }
  | { readonly done: false; readonly reasons: readonly string[] };

export interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface ProjectionRequest {
  readonly ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly NonKeyAttributes?: string[];
}

export interface Throughput {
  readonly ReadCapacityUnits: number;
  readonly WriteCapacityUnits: number;
}

export interface IndexRequest {
  readonly IndexName: string;
  readonly KeySchema: KeyElement[];
  readonly Projection: ProjectionRequest;
  readonly ProvisionedThroughput?: Throughput;
}

export interface CreateTableRequest extends Named {
  readonly AttributeDefinitions: { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[];
  readonly KeySchema: KeyElement[];
  readonly GlobalSecondaryIndexes?: IndexRequest[];
  readonly BillingMode: 'PAY_PER_REQUEST' | 'PROVISIONED';
  readonly ProvisionedThroughput?: Throughput;
  readonly SSESpecification: { readonly Enabled: boolean; readonly SSEType: 'KMS' };
  readonly Tags: { readonly Key: string; readonly Value: string }[];
}

export interface AddIndexRequest extends Pick<CreateTableRequest, 'TableName' | 'AttributeDefinitions'> {
  /** DynamoDB makes one index at a time. */
  readonly GlobalSecondaryIndexUpdates: [{ readonly Create: IndexRequest }];
}

/** What a table really is. */
export interface TableDescription {
  readonly name: string;
  readonly status: string;
  readonly key: readonly KeyElement[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly billing: 'PAY_PER_REQUEST' | 'PROVISIONED';
  readonly capacity: { readonly read: number; readonly write: number };
  readonly encryption: string | undefined;
  readonly itemCount: number;
  readonly bytes: number;
  readonly ttl: { readonly status: string; readonly attribute: string | undefined };
  readonly indexes: readonly IndexDescription[];
  readonly settings: TableSettings;
}

/** What of a table has nothing to do with its keys; undefined where the server does not say. */
export interface TableSettings {
  /** Indexes that share the table's partition key: they are made with the table and stay as long as it does. */
  readonly localIndexes: readonly string[];
  /** What its stream carries. */
  readonly stream: string | undefined;
  readonly deletionProtection: boolean;
  readonly tableClass: string;
  /** The most that an on-demand table may use. */
  readonly maximum: Partial<UnitsPerSecond> | undefined;
  /** The customer's key that it is encrypted with. */
  readonly keyArn: string | undefined;
  /** What it takes at once, without growing first. */
  readonly warm: Partial<UnitsPerSecond> | undefined;
  readonly arn: string | undefined;
  /** Other regions that hold the same table. */
  readonly replicas: readonly string[];
}

/** Units per second. */
export interface UnitsPerSecond {
  readonly read: number;
  readonly write: number;
}

export interface IndexDescription {
  readonly name: string;
  readonly status: string;
  readonly key: readonly KeyElement[];
  readonly projection: ProjectionRequest;
  readonly capacity: { readonly read: number; readonly write: number };
  /** As a table's. */
  readonly warm?: Partial<UnitsPerSecond> | undefined;
  readonly maximum?: Partial<UnitsPerSecond> | undefined;
}
