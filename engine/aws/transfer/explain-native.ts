import { type ErrorCode, TablewrightError } from '../../../tables/model/error.ts';
import { deniedNext, storeError } from '../store/store-error.ts';

/** The refusals of DynamoDB's backup, export, import and restore calls (API reference), and what to do about each. */
const refusals: Readonly<Record<string, { readonly code: ErrorCode; readonly next: string }>> = {
  PointInTimeRecoveryUnavailableException: {
    code: 'PREFLIGHT_FAILED',
    next: "Switch point-in-time recovery on (tablewright:pitr in the stack's file, then 'npx pulumi up').",
  },
  InvalidExportTimeException: {
    code: 'BAD_ARGUMENT',
    next: "Take a time within what can be recovered; 'tablewright pitr status' shows it.",
  },
  InvalidRestoreTimeException: {
    code: 'BAD_ARGUMENT',
    next: "Take a time within what can be recovered; 'tablewright pitr status' shows it.",
  },
  ExportConflictException: {
    code: 'CONFLICT',
    next: 'Another export writes to the same place; wait for it or take another prefix.',
  },
  ImportConflictException: {
    code: 'CONFLICT',
    next: 'The same import was asked for with other parameters; wait for the running one.',
  },
  BackupInUseException: {
    code: 'CONFLICT',
    next: 'Another backup or restore of it is under way; wait and run the command again.',
  },
  BackupNotFoundException: { code: 'UNKNOWN_NAME', next: "Check the ARN; 'tablewright backup list' shows what there is." },
  TableAlreadyExistsException: { code: 'CONFLICT', next: 'Take another name; a restore only makes new tables.' },
  TableInUseException: {
    code: 'CONFLICT',
    next: 'The table is being changed; wait until it is ACTIVE and run the command again.',
  },
  ResourceInUseException: { code: 'CONFLICT', next: 'The table is there or being changed; take another name, or wait.' },
  TableNotFoundException: { code: 'TABLE_MISSING', next: "Run 'tablewright doctor' to see what the stack has." },
  LimitExceededException: {
    code: 'CONFLICT',
    next: 'Too many such operations are under way in the account; wait and run the command again.',
  },
  AccessDeniedException: { code: 'NO_CREDENTIALS', next: deniedNext },
  UnknownOperationException: {
    code: 'BAD_ARGUMENT',
    next: 'Backups, restores and native exports need AWS; the embedded engine has none. Portable exports and imports work everywhere.',
  },
};

export async function explainNative<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = error instanceof Error ? refusals[error.name] : undefined;
    if (known === undefined || !(error instanceof Error)) throw storeError(where, error);
    const unknown = error.name === 'UnknownOperationException';
    const summary = unknown ? `${where}: this server does not know the call` : `${where}: ${error.name}: ${error.message}`;
    throw new TablewrightError(known.code, summary, { cause: error, next: known.next });
  }
}
