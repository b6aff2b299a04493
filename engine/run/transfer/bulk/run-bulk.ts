import { TablewrightError } from '../../../../tables/model/error.ts';
import type { BulkImportRecord } from '../../../../tables/model/ledger/transfer-records.ts';
import { isoOfEpochMs } from '../../../../tables/model/time.ts';
import { type BulkOperation, bulkProblems, tokenHoldsMs } from '../../../core/transfer/bulk-store.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import type { OpenExport } from '../open-export.ts';
import { type BulkEnvironment, type BulkImportRequest, type BulkImportResult, defaultBulkPollMs } from './bulk-environment.ts';
import { BulkLedger, stagingRoot } from './bulk-ledger.ts';
import { readReports } from './read-reports.ts';
import { type StagedInput, stageInput } from './stage-input.ts';

/**
 * Has DynamoDB put an export into a table that is there. What was asked of it is in the ledger before anything waits for it, so
 * that wherever this run ends, the next one finds the same operation instead of starting another.
 */
export async function runBulkImport(
  environment: BulkEnvironment,
  opened: OpenExport,
  request: BulkImportRequest,
): Promise<BulkImportResult> {
  const { signal, ledger: store, nowMs } = environment;
  const ledger = await BulkLedger.take(store, nowMs, freshRecord(environment, opened, request), request.again);
  if (request.cancel) return cancel(environment, ledger);
  const already = ledger.record.state === 'ended';
  if (ledger.record.state === 'staging') {
    await preflight(environment, request.table.name);
    const input = await untilStopped(stage(environment, opened, request, ledger.record), signal);
    if (input === undefined) return { outcome: 'interrupted', arn: undefined, asked: false };
    if (input.staged === 0) return { outcome: 'nothing', rejected: input.rejected };
    await ledger.save({ state: 'staged', rejected: input.rejected });
  }
  const arn =
    ledger.record.arn ?? (signal?.aborted ? undefined : await untilStopped(start(environment, ledger, request), signal));
  if (arn === undefined) return { outcome: 'interrupted', arn, asked: ledger.record.startedAt !== undefined };
  return waitFor(environment, ledger, arn, already);
}

/** What other runs have left under the same token goes first. */
async function stage(
  environment: BulkEnvironment,
  opened: OpenExport,
  request: BulkImportRequest,
  record: BulkImportRecord,
): Promise<StagedInput> {
  await clear(environment, record);
  return stageInput(environment, opened, request, inputOf(record));
}

async function clear({ bucket }: BulkEnvironment, record: BulkImportRecord): Promise<void> {
  const staged = await bucket.list(stagingRoot(record));
  await bucket.remove(staged.map(({ name }) => name).filter((name) => name.includes('/input/')));
}

function freshRecord({ token }: BulkEnvironment, opened: OpenExport, { table, bucketName, rate }: BulkImportRequest) {
  const clientToken = token();
  return {
    table: table.name,
    identity: opened.identity,
    source: opened.place,
    options: JSON.stringify({ rate }),
    state: 'staging' as const,
    clientToken,
    bucket: bucketName,
    prefix: stagingRoot({ table: table.name, clientToken }),
    rejected: 0,
  };
}

const inputOf = ({ prefix }: BulkImportRecord): string => `${prefix}input/`;
const outputOf = ({ prefix }: BulkImportRecord): string => `${prefix}output/`;

async function preflight({ bulk, signal }: BulkEnvironment, tableName: string): Promise<void> {
  const state = await bulk.tableState(tableName, signal);
  const problems = state === undefined ? ['it does not exist in this stack'] : bulkProblems(state);
  if (problems.length === 0) return;
  throw new TablewrightError('PREFLIGHT_FAILED', `${tableName}: DynamoDB would refuse a bulk put into it`, {
    problems,
    next: 'Wait until that is over, or leave --bulk out: an import by batches takes any table.',
  });
}

/** The ARN of the operation: of the one that the token has started already, else of a new one. */
async function start(environment: BulkEnvironment, ledger: BulkLedger, { table, rate }: BulkImportRequest): Promise<string> {
  const { bulk, nowMs, onEvent, signal } = environment;
  const { startedAt, clientToken } = ledger.record;
  if (startedAt !== undefined) {
    const found = (await bulk.startedSince(startedAt, signal)).find((one) => one.clientToken === clientToken);
    if (found !== undefined) {
      await ledger.save({ state: 'running', arn: found.arn });
      onEvent?.({ kind: 'started', arn: found.arn, found: true });
      return found.arn;
    }
    if (nowMs() - Date.parse(startedAt) >= tokenHoldsMs) throw tooLate(ledger.record);
  }
  await preflight(environment, table.name);
  // Once the token was used, its request has to stay the same.
  if (startedAt === undefined)
    await ledger.save({ state: 'starting', startedAt: isoOfEpochMs(nowMs()), options: JSON.stringify({ rate }) });
  // Without the signal: an answer that nobody waits for would leave it unknown whether it was started.
  const arn = await bulk.start({
    tableName: table.name,
    bucket: ledger.record.bucket,
    inputPrefix: inputOf(ledger.record),
    outputPrefix: outputOf(ledger.record),
    maxWriteUnits: (JSON.parse(ledger.record.options) as { readonly rate?: number }).rate ?? rate,
    clientToken,
  });
  await ledger.save({ state: 'running', arn });
  onEvent?.({ kind: 'started', arn, found: false });
  return arn;
}

async function waitFor(
  environment: BulkEnvironment,
  ledger: BulkLedger,
  arn: string,
  already: boolean,
): Promise<BulkImportResult> {
  const { bulk, signal, sleep, steadyMs, onEvent, pollMs = defaultBulkPollMs } = environment;
  const startedMs = steadyMs();
  while (!signal?.aborted) {
    const operation = await bulk.describe(arn, signal).catch((error: unknown) => {
      // Ctrl-C may come while it is asked after; that is no failure of it.
      if (signal?.aborted) return 'stopped' as const;
      throw error;
    });
    if (operation === 'stopped') break;
    if (operation === undefined) throw vanished(arn);
    if (operation.status !== 'IN_PROGRESS' && operation.status !== 'CANCELLING') {
      return settle(environment, ledger, operation, already);
    }
    onEvent?.({ kind: 'waiting', operation, elapsedMs: steadyMs() - startedMs });
    await untilStopped(sleep(pollMs, signal), signal);
  }
  return { outcome: 'interrupted', arn, asked: true };
}

/** Reports first, then the ledger: a run that is killed between them reads them again. */
async function settle(
  environment: BulkEnvironment,
  ledger: BulkLedger,
  operation: BulkOperation,
  already: boolean,
): Promise<BulkImportResult> {
  const { bucket, codec, deadLetters } = environment;
  const { table, rejected, reported: before = 0 } = ledger.record;
  const reported = already ? before : await readReports(bucket, outputOf(ledger.record), codec, table, deadLetters);
  if (!already) {
    await ledger.save({ state: 'ended', status: operation.status, reported });
    await clear(environment, ledger.record);
  }
  return { outcome: 'ended', operation, already, rejected, reported };
}

async function cancel(environment: BulkEnvironment, ledger: BulkLedger): Promise<BulkImportResult> {
  const { bulk, signal } = environment;
  const { startedAt, clientToken, table } = ledger.record;
  const known =
    ledger.record.arn ??
    (startedAt === undefined
      ? undefined
      : (await bulk.startedSince(startedAt, signal)).find((one) => one.clientToken === clientToken)?.arn);
  if (known === undefined) {
    throw new TablewrightError('UNKNOWN_NAME', `${table}: no bulk put of this export is known`, {
      next: 'There is nothing to cancel.',
    });
  }
  if (ledger.record.state !== 'ended') await bulk.cancel(known, signal);
  return waitFor(environment, ledger, known, ledger.record.state === 'ended');
}

function tooLate({ table, startedAt }: BulkImportRecord): TablewrightError {
  return new TablewrightError(
    'CONFLICT',
    `${table}: a bulk put was asked for at ${startedAt}, and DynamoDB lists none with its token`,
    {
      problems: ['after eight hours the token holds no longer: the same request could start a second one'],
      next: "Look at 'aws dynamodb list-bulk-operations'; if it did not run, begin anew with --again.",
    },
  );
}

function vanished(arn: string): TablewrightError {
  return new TablewrightError('STORE_FAILED', `${arn}: DynamoDB does not know this bulk operation any more`, {
    next: 'Compare the table with --verify full of an import by batches, or begin anew with --again.',
  });
}
