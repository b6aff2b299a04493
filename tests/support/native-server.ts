import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { EngineFront, type Json, type Operations, Refusal, readObjects } from './engine-front.ts';

type JsonItem = Record<string, Json>;

interface StoredLine {
  readonly json: Json;
  readonly key: string;
  readonly index: number;
}

interface Job {
  readonly description: Json;
  polls: number;
  /** Does the work; a text is the failure. */
  readonly work: () => Promise<Json>;
  done: boolean;
}

export interface NativeServer {
  readonly endpoint: string;
  /** Tables whose point-in-time recovery is on, with the days it covers. */
  readonly pitr: Map<string, number>;
  readonly calls: string[];
  /** Tables that were imported, each with the key that it was to have; undefined is one of AWS's own. */
  readonly imports: { readonly table: string; readonly key: string | undefined }[];
  /** Tags by table ARN. */
  readonly tags: Map<string, Map<string, string>>;
  readonly protectedTables: Set<string>;
  /** How often a job is described before it is done. */
  pollsUntilDone: number;
  /** The next export or import fails with this. */
  failNext: { readonly code: string; readonly message: string } | undefined;
  /** Reading logs is refused. */
  logsDenied: boolean;
  /** Remembers the table as it is now, for an incremental export that begins here. */
  mark(tableName: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * The DynamoDB operations that the embedded engine lacks, by their API reference: states, errors, and what a restore or an
 * import leaves out. Data comes from and goes to the engine behind it; files lie in the given S3. Everything else passes
 * through to the engine.
 */
export async function startNativeServer(engineEndpoint: string, s3: S3Client, account = '123456789012'): Promise<NativeServer> {
  const server = new NativeBackend(engineEndpoint, s3, account);
  await server.front.listen();
  return server;
}

const nameOf = (arn: string): string => /table\/([^/]+)/.exec(arn)?.[1] ?? arn;
const seconds = (ms: number): number => Math.floor(ms / 1_000);

class NativeBackend implements NativeServer {
  readonly front: EngineFront;
  readonly pitr = new Map<string, number>();
  readonly calls: string[] = [];
  readonly imports: { readonly table: string; readonly key: string | undefined }[] = [];
  readonly tags = new Map<string, Map<string, string>>();
  readonly protectedTables = new Set<string>();
  pollsUntilDone = 2;
  failNext: { readonly code: string; readonly message: string } | undefined;
  logsDenied = false;
  readonly #s3: S3Client;
  readonly #account: string;
  readonly #jobs = new Map<string, Job>();
  readonly #tokens = new Map<string, string>();
  readonly #backups = new Map<string, { readonly details: Json; readonly table: Json; readonly items: readonly JsonItem[] }>();
  /** Messages of CloudWatch log streams. */
  readonly #logs = new Map<string, readonly string[]>();
  readonly #marks = new Map<string, readonly JsonItem[]>();

  constructor(engine: string, s3: S3Client, account: string) {
    this.front = new EngineFront(engine, (operation, body) => {
      if (Object.hasOwn(this.#operations, operation)) this.calls.push(operation);
      return this.front.carryOut(this.#operations, operation, body);
    });
    this.#s3 = s3;
    this.#account = account;
  }

  get endpoint(): string {
    return this.front.endpoint;
  }

  close(): Promise<void> {
    return this.front.close();
  }

  async mark(tableName: string): Promise<void> {
    this.#marks.set(tableName, await this.#items(tableName));
  }

  readonly #operations: Operations = {
    DescribeContinuousBackups: async ({ TableName }) => this.#continuousBackups(String(TableName)),
    UpdateContinuousBackups: async ({ TableName, PointInTimeRecoverySpecification }) => {
      const { PointInTimeRecoveryEnabled, RecoveryPeriodInDays = 35 } = PointInTimeRecoverySpecification as Json;
      if (PointInTimeRecoveryEnabled === true) this.pitr.set(String(TableName), Number(RecoveryPeriodInDays));
      else this.pitr.delete(String(TableName));
      return this.#continuousBackups(String(TableName));
    },
    ExportTableToPointInTime: (input) => this.#startExport(input),
    DescribeExport: async ({ ExportArn }) => ({ ExportDescription: await this.#describe(String(ExportArn), 'Export') }),
    ListExports: async ({ TableArn }) => {
      const mine = [...this.#jobs.values()].filter(
        (job) => job.description.TableArn === TableArn && 'ExportArn' in job.description,
      );
      const ExportSummaries = mine.map(({ description }) => ({
        ExportArn: description.ExportArn,
        ExportStatus: description.ExportStatus,
        ExportType: description.ExportType,
      }));
      return { ExportSummaries };
    },
    ImportTable: (input) => this.#startImport(input),
    DescribeImport: async ({ ImportArn }) => ({ ImportTableDescription: await this.#describe(String(ImportArn), 'Import') }),
    // CloudWatch Logs API reference, GetLogEvents.
    GetLogEvents: async ({ logStreamName, limit }) => {
      if (this.logsDenied) throw new Refusal('AccessDeniedException', 'not authorized to perform: logs:GetLogEvents');
      const found = this.#logs.get(String(logStreamName));
      if (found === undefined) throw new Refusal('ResourceNotFoundException', 'The specified log stream does not exist.');
      return { events: found.slice(0, Number(limit)).map((message) => ({ message, timestamp: Date.now() })) };
    },
    CreateBackup: (input) => this.#createBackup(String(input.TableName), String(input.BackupName)),
    DescribeBackup: async ({ BackupArn }) => {
      const found = this.#backup(String(BackupArn));
      const { BackupStatus } = found.details;
      // Described once while it is being made, then it is there.
      const BackupDescription = { BackupDetails: { ...found.details }, SourceTableDetails: { TableName: found.table.TableName } };
      if (BackupStatus === 'CREATING') found.details.BackupStatus = 'AVAILABLE';
      return { BackupDescription };
    },
    ListBackups: async ({ TableName }) => {
      const all = [...this.#backups.values()].filter(({ table }) => TableName === undefined || table.TableName === TableName);
      return {
        BackupSummaries: all.map(({ details, table }) => ({ ...details, TableName: table.TableName, TableArn: table.TableArn })),
      };
    },
    DeleteBackup: async ({ BackupArn }) => {
      const { details } = this.#backup(String(BackupArn));
      this.#backups.delete(String(BackupArn));
      return { BackupDescription: { BackupDetails: { ...details, BackupStatus: 'DELETED' } } };
    },
    RestoreTableFromBackup: async ({ BackupArn, TargetTableName }) => {
      const { details, table, items } = this.#backup(String(BackupArn));
      if (details.BackupStatus !== 'AVAILABLE') throw new Refusal('BackupInUseException', 'Backup is being created');
      return this.#restore(table, items, String(TargetTableName));
    },
    RestoreTableToPointInTime: async ({ SourceTableName, TargetTableName, RestoreDateTime }) => {
      const source = String(SourceTableName);
      if (!this.pitr.has(source))
        throw new Refusal('PointInTimeRecoveryUnavailableException', 'Point in time recovery is not enabled');
      if (RestoreDateTime !== undefined && Number(RestoreDateTime) > seconds(Date.now())) {
        throw new Refusal('InvalidRestoreTimeException', 'RestoreDateTime is later than LatestRestorableDateTime');
      }
      return this.#restore(await this.#table(source), await this.#items(source), String(TargetTableName));
    },
    TagResource: async ({ ResourceArn, Tags }) => {
      const mine = this.tags.get(String(ResourceArn)) ?? new Map<string, string>();
      for (const { Key, Value } of Tags as readonly { Key: string; Value: string }[]) mine.set(Key, Value);
      this.tags.set(String(ResourceArn), mine);
      return {};
    },
    ListTagsOfResource: async ({ ResourceArn }) => ({
      Tags: [...(this.tags.get(String(ResourceArn)) ?? new Map<string, string>())].map(([Key, Value]) => ({ Key, Value })),
    }),
    DescribeTable: async (input) => {
      const { Table } = (await this.front.call('DescribeTable', input)) as { readonly Table: Json };
      // The engine counts items and no bytes; DynamoDB counts both.
      const TableSizeBytes = Number(Table.TableSizeBytes ?? 0) || 200 * Number(Table.ItemCount ?? 0);
      return { Table: { ...Table, TableSizeBytes, TableArn: this.#arnOf(String(input.TableName)) } };
    },
    UpdateTable: async (input) => {
      if (input.DeletionProtectionEnabled === true) this.protectedTables.add(String(input.TableName));
      return this.front.call('UpdateTable', input);
    },
  };

  async #continuousBackups(tableName: string): Promise<Json> {
    await this.#table(tableName);
    const days = this.pitr.get(tableName);
    const now = Date.now();
    const on = {
      PointInTimeRecoveryStatus: 'ENABLED',
      RecoveryPeriodInDays: days,
      EarliestRestorableDateTime: seconds(now) - 86_400,
      // The latest moment lies five minutes back (API reference, PointInTimeRecoveryDescription).
      LatestRestorableDateTime: seconds(now) - 300,
    };
    const PointInTimeRecoveryDescription = days === undefined ? { PointInTimeRecoveryStatus: 'DISABLED' } : on;
    return { ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED', PointInTimeRecoveryDescription } };
  }

  async #startExport(input: Json): Promise<Json> {
    const tableName = nameOf(String(input.TableArn));
    if (!this.pitr.has(tableName))
      throw new Refusal('PointInTimeRecoveryUnavailableException', 'Point in time recovery is not enabled');
    const known = this.#tokens.get(String(input.ClientToken));
    if (known !== undefined) return { ExportDescription: this.#jobs.get(known)?.description };
    const id = `0${Date.now()}-${randomUUID().slice(0, 8)}`;
    const arn = `${String(input.TableArn)}/export/${id}`;
    const prefix = input.S3Prefix === undefined ? '' : `${String(input.S3Prefix)}/`;
    const description: Json = {
      ...input,
      ExportArn: arn,
      ExportStatus: 'IN_PROGRESS',
      StartTime: seconds(Date.now()),
      ExportManifest: `${prefix}AWSDynamoDB/${id}/manifest-summary.json`,
    };
    const failure = this.#takeFailure();
    this.#start(arn, String(input.ClientToken), description, async () => {
      if (failure !== undefined) return { ExportStatus: 'FAILED', FailureCode: failure.code, FailureMessage: failure.message };
      const lines = await this.#exportLines(tableName, input);
      await this.#writeExport(String(input.S3Bucket), prefix, id, description, lines);
      return { ExportStatus: 'COMPLETED', EndTime: seconds(Date.now()), ItemCount: lines.length, BilledSizeBytes: 1_024 };
    });
    return { ExportDescription: { ...description } };
  }

  async #exportLines(tableName: string, input: Json): Promise<readonly Json[]> {
    const now = await this.#items(tableName);
    if (input.ExportType !== 'INCREMENTAL_EXPORT') return now.map((Item) => ({ Item }));
    const keys = ((await this.#table(tableName)).KeySchema as readonly { AttributeName: string }[]).map(
      (key) => key.AttributeName,
    );
    const keyOf = (item: JsonItem): Json => Object.fromEntries(keys.map((name) => [name, item[name]]));
    const text = (item: JsonItem): string => JSON.stringify(keyOf(item));
    const sorted = (item: JsonItem): string => JSON.stringify(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const before = new Map((this.#marks.get(tableName) ?? []).map((item) => [text(item), item]));
    const after = new Map(now.map((item) => [text(item), item]));
    const Metadata = { WriteTimestampMicros: { N: String(Date.now() * 1_000) } };
    const lines: Json[] = [];
    for (const [key, item] of after) {
      const old = before.get(key);
      if (old !== undefined && sorted(old) === sorted(item)) continue;
      lines.push({ Metadata, Keys: keyOf(item), ...(old === undefined ? {} : { OldImage: old }), NewImage: item });
    }
    for (const [key, item] of before) if (!after.has(key)) lines.push({ Metadata, Keys: keyOf(item), OldImage: item });
    return lines;
  }

  async #writeExport(bucket: string, prefix: string, id: string, description: Json, lines: readonly Json[]): Promise<void> {
    const incremental = description.IncrementalExportSpecification as Json | undefined;
    const root = `${prefix}AWSDynamoDB/${id}/`;
    const data = incremental === undefined ? `${root}data/` : `${prefix}AWSDynamoDB/data/`;
    const put = (Key: string, Body: string | Uint8Array) =>
      this.#s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentLength: Buffer.byteLength(Body) }));
    const md5 = (bytes: string | Uint8Array): string => createHash('md5').update(bytes).digest('base64');
    await put(`${root}_started`, '');
    const entries: string[] = [];
    for (const half of [lines.slice(0, Math.ceil(lines.length / 2)), lines.slice(Math.ceil(lines.length / 2))]) {
      const bytes = gzipSync(half.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const key = `${data}${randomUUID().replaceAll('-', '').slice(0, 26)}.json.gz`;
      await put(key, bytes);
      entries.push(JSON.stringify({ itemCount: half.length, md5Checksum: md5(bytes), etag: 'x-1', dataFileS3Key: key }));
    }
    const files = `${entries.join('\n')}\n`;
    const iso = (value: unknown): string => new Date(Number(value) * 1_000).toISOString();
    const when =
      incremental === undefined
        ? { exportTime: new Date().toISOString(), exportType: 'FULL_EXPORT' }
        : {
            exportFromTime: iso(incremental.ExportFromTime),
            exportToTime: iso(incremental.ExportToTime),
            exportType: 'INCREMENTAL_EXPORT',
            outputView: incremental.ExportViewType,
          };
    const summary = JSON.stringify({
      version: '2023-08-01',
      exportArn: description.ExportArn,
      startTime: new Date().toISOString(),
      endTime: new Date().toISOString(),
      tableArn: description.TableArn,
      tableId: randomUUID(),
      ...when,
      s3Bucket: bucket,
      s3Prefix: prefix,
      s3SseAlgorithm: description.S3SseAlgorithm ?? 'AES256',
      s3SseKmsKeyId: description.S3SseKmsKeyId ?? null,
      manifestFilesS3Key: `${root}manifest-files.json`,
      billedSizeBytes: 0,
      itemCount: lines.length,
      outputFormat: 'DYNAMODB_JSON',
    });
    for (const [name, text] of [
      ['manifest-files', files],
      ['manifest-summary', summary],
    ] as const) {
      await put(`${root}${name}.json`, text);
      await put(`${root}${name}.md5`, md5(text));
    }
  }

  async #startImport(input: Json): Promise<Json> {
    const parameters = input.TableCreationParameters as Json;
    const tableName = String(parameters.TableName);
    const known = this.#tokens.get(String(input.ClientToken));
    if (known !== undefined) return { ImportTableDescription: this.#jobs.get(known)?.description };
    const exists = await this.#table(tableName).then(
      () => true,
      () => false,
    );
    if (exists) throw new Refusal('ResourceInUseException', `Table already exists: ${tableName}`);
    this.imports.push({
      table: tableName,
      key: (parameters.SSESpecification as { readonly KMSMasterKeyId?: string } | undefined)?.KMSMasterKeyId,
    });
    const arn = `${this.#arnOf(tableName)}/import/0${Date.now()}-${randomUUID().slice(0, 8)}`;
    const CloudWatchLogGroupArn = `arn:aws:logs:us-east-1:${this.#account}:log-group:/aws-dynamodb/imports:*`;
    const description: Json = {
      ImportArn: arn,
      ImportStatus: 'IN_PROGRESS',
      TableArn: this.#arnOf(tableName),
      CloudWatchLogGroupArn,
    };
    const failure = this.#takeFailure();
    this.#start(arn, String(input.ClientToken), description, async () => {
      if (failure !== undefined) return { ImportStatus: 'FAILED', FailureCode: failure.code, FailureMessage: failure.message };
      await this.front.call('CreateTable', parameters);
      const { S3Bucket, S3KeyPrefix } = input.S3BucketSource as Json;
      const keys = (parameters.KeySchema as readonly { AttributeName: string }[]).map((key) => key.AttributeName);
      const objects = await readObjects(this.#s3, String(S3Bucket), String(S3KeyPrefix));
      const lines = objects.flatMap(({ key, lines: texts }) =>
        texts.map((text, index): StoredLine => ({ json: JSON.parse(text) as Json, key, index })),
      );
      const fits = ({ json }: StoredLine): boolean => keys.every((name) => name in (json.Item as Json));
      const fit = lines.filter(fits).map(({ json }) => json.Item as JsonItem);
      await this.front.put(tableName, fit);
      const unfit = lines.filter((line) => !fits(line));
      this.#logs.set(
        `${arn.split('/').at(-1)}/error`,
        unfit.map(({ key, index }) => {
          const itemS3Pointer = { bucket: S3Bucket, key, itemIndex: index };
          const errorMessages = ['One or more parameter values were invalid: Missing the key in the item'];
          return JSON.stringify({ itemS3Pointer, importArn: arn, errorMessages });
        }),
      );
      const counts = { ProcessedItemCount: lines.length, ImportedItemCount: fit.length, ErrorCount: unfit.length };
      return { ImportStatus: 'COMPLETED', ...counts };
    });
    return { ImportTableDescription: { ...description } };
  }

  #takeFailure() {
    const failure = this.failNext;
    this.failNext = undefined;
    return failure;
  }

  #start(arn: string, token: string, description: Json, work: () => Promise<Json>): void {
    this.#jobs.set(arn, { description, polls: 0, work, done: false });
    this.#tokens.set(token, arn);
  }

  async #describe(arn: string, kind: 'Export' | 'Import'): Promise<Json> {
    const job = this.#jobs.get(arn);
    if (job === undefined) throw new Refusal(`${kind}NotFoundException`, `${kind} not found: ${arn}`);
    job.polls += 1;
    if (job.polls >= this.pollsUntilDone && !job.done) {
      job.done = true;
      Object.assign(job.description, await job.work());
    }
    return job.description;
  }

  async #createBackup(tableName: string, name: string): Promise<Json> {
    const table = await this.#table(tableName);
    const BackupArn = `${this.#arnOf(tableName)}/backup/0${Date.now()}-${randomUUID().slice(0, 8)}`;
    const details = {
      BackupArn,
      BackupName: name,
      BackupStatus: 'CREATING',
      BackupType: 'USER',
      BackupCreationDateTime: seconds(Date.now()),
      BackupSizeBytes: 0,
    };
    this.#backups.set(BackupArn, {
      details,
      table: { ...table, TableArn: this.#arnOf(tableName) },
      items: await this.#items(tableName),
    });
    return { BackupDetails: { ...details } };
  }

  #backup(arn: string) {
    const found = this.#backups.get(arn);
    if (found === undefined) throw new Refusal('BackupNotFoundException', `Backup not found: ${arn}`);
    return found;
  }

  /** Keys, indexes, billing and encryption come back; TTL, point-in-time recovery, tags and protection do not. */
  async #restore(table: Json, items: readonly JsonItem[], target: string): Promise<Json> {
    const exists = await this.#table(target).then(
      () => true,
      () => false,
    );
    if (exists) throw new Refusal('TableAlreadyExistsException', `Table already exists: ${target}`);
    const indexes = (table.GlobalSecondaryIndexes as readonly Json[] | undefined) ?? [];
    const provisioned = (table.BillingModeSummary as Json | undefined)?.BillingMode !== 'PAY_PER_REQUEST';
    const throughput = ({ ProvisionedThroughput }: Json): Json => {
      const { ReadCapacityUnits, WriteCapacityUnits } = (ProvisionedThroughput ?? {}) as Json;
      return provisioned ? { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } } : {};
    };
    await this.front.call('CreateTable', {
      TableName: target,
      KeySchema: table.KeySchema,
      AttributeDefinitions: table.AttributeDefinitions,
      BillingMode: provisioned ? 'PROVISIONED' : 'PAY_PER_REQUEST',
      ...throughput(table),
      SSESpecification: { Enabled: true, SSEType: 'KMS' },
      ...(indexes.length === 0
        ? {}
        : {
            GlobalSecondaryIndexes: indexes.map((index) => ({
              IndexName: index.IndexName,
              KeySchema: index.KeySchema,
              Projection: index.Projection,
              ...throughput(index),
            })),
          }),
    });
    await this.front.put(target, items);
    return { TableDescription: { TableName: target, TableStatus: 'CREATING' } };
  }

  #arnOf(tableName: string): string {
    return `arn:aws:dynamodb:us-east-1:${this.#account}:table/${tableName}`;
  }

  async #table(tableName: string): Promise<Json> {
    const { Table } = await this.front.call('DescribeTable', { TableName: tableName });
    return Table as Json;
  }

  async #items(tableName: string): Promise<readonly JsonItem[]> {
    const items: JsonItem[] = [];
    let from: unknown;
    do {
      const page = await this.front.call('Scan', {
        TableName: tableName,
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      });
      items.push(...(page.Items as JsonItem[]));
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
    return items;
  }
}
