import type { CreateTableRequest } from '../store/store.ts';

/** DynamoDB's own exports, imports, backups and restores (API reference), in plain values. Times are ISO texts. */
export interface NativeStore {
  tableArn(tableName: string, signal?: AbortSignal): Promise<string>;
  pitr(tableName: string, signal?: AbortSignal): Promise<PitrState>;
  setPitr(tableName: string, recoveryDays: number, signal?: AbortSignal): Promise<void>;
  startExport(request: NativeExportRequest, signal?: AbortSignal): Promise<string>;
  exportJob(arn: string, signal?: AbortSignal): Promise<NativeExport | undefined>;
  /** Exports of the table that are under way. */
  runningExports(tableArn: string, signal?: AbortSignal): Promise<readonly NativeExport[]>;
  startImport(request: NativeImportRequest, signal?: AbortSignal): Promise<string>;
  importJob(arn: string, signal?: AbortSignal): Promise<NativeImport | undefined>;
  /** What an import's log says about single items, the first so many of them. */
  importErrors(arn: string, logGroup: string | undefined, most: number, signal?: AbortSignal): Promise<readonly ImportError[]>;
  createBackup(tableName: string, name: string, signal?: AbortSignal): Promise<Backup>;
  backup(arn: string, signal?: AbortSignal): Promise<Backup | undefined>;
  backups(tableName: string | undefined, signal?: AbortSignal): Promise<readonly Backup[]>;
  deleteBackup(arn: string, signal?: AbortSignal): Promise<void>;
  restore(request: RestoreRequest, signal?: AbortSignal): Promise<void>;
  tag(tableArn: string, tags: readonly { readonly Key: string; readonly Value: string }[], signal?: AbortSignal): Promise<void>;
  tags(tableArn: string, signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  protect(tableName: string, signal?: AbortSignal): Promise<void>;
}

export interface PitrState {
  readonly enabled: boolean;
  /** What can be restored or exported: any second from the one to the other. */
  readonly earliest: string | undefined;
  readonly latest: string | undefined;
  readonly recoveryDays: number | undefined;
}

export interface NativeExportRequest {
  readonly tableArn: string;
  readonly bucket: string;
  readonly prefix: string;
  /** As of this moment; the latest when left out. */
  readonly asOf?: string | undefined;
  readonly window?: { readonly from: string; readonly to: string; readonly images: 'new-and-old' | 'new' } | undefined;
  readonly kmsKey?: string | undefined;
  /** Repeating a request with the same token starts nothing new for eight hours. */
  readonly token: string;
}

export interface NativeExport {
  readonly arn: string;
  readonly status: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  readonly bucket: string;
  readonly prefix: string;
  readonly kind: 'full' | 'incremental';
  readonly window: { readonly from: string; readonly to: string } | undefined;
  readonly manifest: string | undefined;
  readonly items: number | undefined;
  readonly billedBytes: number | undefined;
  readonly failure: { readonly code: string; readonly message: string } | undefined;
}

export interface NativeImportRequest {
  readonly bucket: string;
  readonly prefix: string;
  readonly table: Omit<CreateTableRequest, 'Tags'>;
  readonly kmsKey?: string | undefined;
  readonly token: string;
}

export interface NativeImport {
  readonly arn: string;
  readonly status: 'IN_PROGRESS' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED';
  readonly processed: number;
  readonly imported: number;
  readonly errors: number;
  readonly logGroup: string | undefined;
  readonly failure: { readonly code: string; readonly message: string } | undefined;
}

export interface ImportError {
  /** The object of the item, and the item's number in it from 1; undefined where the log does not say. */
  readonly place: string | undefined;
  readonly messages: readonly string[];
}

export interface Backup {
  readonly arn: string;
  readonly name: string;
  readonly table: string;
  readonly status: string;
  readonly type: string;
  readonly createdAt: string;
  readonly bytes: number | undefined;
}

export type RestoreRequest =
  | { readonly from: 'backup'; readonly backupArn: string; readonly target: string }
  /** The latest second that can be restored when no time is given. */
  | { readonly from: 'time'; readonly source: string; readonly target: string; readonly time: string | undefined };

/** Where the ARN of a job is kept while it runs, so that another run picks it up. */
export interface JobMemory {
  get(job: string): Promise<string | undefined>;
  set(job: string, arn: string): Promise<void>;
  forget(job: string): Promise<void>;
}
