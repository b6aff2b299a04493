import { TablewrightError } from '../../../tables/model/error.ts';
import { keyProblems } from '../../../tables/model/item.ts';
import type { ImportRecord } from '../../../tables/model/ledger/transfer-records.ts';
import { isoOfEpochMs } from '../../../tables/model/time.ts';
import { lineRequests } from '../../core/transfer/line-requests.ts';
import { itemScanner } from '../../core/transfer/scan-item.ts';
import { measuredNames } from '../../core/write/check-request.ts';
import { bodyOf, type WriteRequest } from '../../core/write/write-request.ts';
import { LedgerStore } from '../ledger/ledger-store.ts';
import { writeAll } from '../write/write-all.ts';
import type { WriteResult } from '../write/write-options.ts';
import { checkFiles } from './check-files.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import type { ImportEnvironment, ImportRequest, ImportResult } from './import-environment.ts';
import { ImportLedger, type ImportLedgerOptions, importStart, readImport } from './import-ledger.ts';
import { ImportSource, type ImportWrite } from './import-source.ts';
import type { OpenExport } from './open-export.ts';
import { readLines } from './read-lines.ts';
import { verifyImport } from './verify-import.ts';

/**
 * Writes an export into a table that is there, through the capacity-aware writer. Killed at any moment and run again, it goes on
 * behind the last line of each file that was dealt with.
 */
export async function importExport(
  environment: ImportEnvironment,
  opened: OpenExport,
  request: ImportRequest,
): Promise<ImportResult> {
  const startedMs = environment.clock.steadyMs();
  await checkBefore(environment, opened, request);
  const ledger = await ImportLedger.take(ledgerOptions(environment), freshRecord(environment, opened, request), request.again);
  const already = ledger.record.state === 'complete';
  const resumedAt = ledger.record.lines;
  if (resumedAt > 0 && !already) environment.onEvent?.({ kind: 'resumed', lines: resumedAt });
  const written = already ? undefined : await write(environment, opened, request, ledger);
  const complete = already || written?.outcome === 'complete';
  const verified = complete ? await verifyImport(environment, opened, request) : undefined;
  const { lines, deadLettered, skipped, written: total } = ledger.record;
  return {
    outcome: complete && (verified?.differing ?? 0) > 0 ? 'incomplete' : already ? 'complete' : (written?.outcome ?? 'complete'),
    already,
    items: opened.summary.itemCount,
    lines,
    written: total,
    skipped,
    deadLettered,
    resumedAt,
    elapsedMs: environment.clock.steadyMs() - startedMs,
    verified,
    tables: written?.tables ?? [],
  };
}

function ledgerOptions(environment: ImportEnvironment): ImportLedgerOptions {
  const { store, names, gates, readGates, random, nowMs, sleep, takeOverWaitMs, signal } = environment;
  const ledger = new LedgerStore({
    store,
    names,
    gates: readGates,
    writeGates: gates,
    sleep,
    random,
    stopping: signal,
  });
  return { ledger, nowMs, sleep, takeOverWaitMs, signal };
}

/** Everything that can be known to be wrong is told before the ledger or the table is touched. */
async function checkBefore(environment: ImportEnvironment, opened: OpenExport, request: ImportRequest): Promise<void> {
  const { codec, signal, onEvent } = environment;
  const before = request.again ? undefined : await readImport(ledgerOptions(environment), request.table.name, opened.identity);
  if (before?.state === 'complete') return;
  const checked = await checkFiles(opened, opened.files.slice(before?.position.done ?? 0), codec, signal);
  onEvent?.({ kind: 'checked', files: opened.files.length, items: opened.summary.itemCount, bytes: checked.bytes });
  await checkFirstLine(environment, opened, request);
}

/** An export of some other table is told at once, rather than turned into dead letters. */
async function checkFirstLine({ codec, signal }: ImportEnvironment, opened: OpenExport, request: ImportRequest): Promise<void> {
  const file = opened.files.find(({ itemCount }) => itemCount > 0);
  if (file === undefined) return;
  for await (const lines of readLines(file, codec, 0, signal)) {
    const first = lines.find(({ content }) => content !== undefined);
    if (first?.content === undefined) continue;
    const [one] = lineRequests(request.table, first.content, request.transform);
    const problems = one === undefined ? [] : keyProblems(request.table, bodyOf(one));
    if (problems.length === 0) return;
    throw new TablewrightError(
      'BAD_EXPORT',
      `${file.shown}:${first.line}: the item does not fit the key of ${request.table.name}`,
      {
        problems,
        next: `The export is of ${opened.summary.tableArn}; name the table that it belongs to, or shape its items with --transform.`,
      },
    );
  }
}

function freshRecord({ nowMs }: ImportEnvironment, opened: OpenExport, request: ImportRequest): ImportRecord {
  return {
    table: request.table.name,
    identity: opened.identity,
    source: opened.place,
    options: request.options,
    state: 'running',
    token: 0,
    beat: 0,
    position: importStart,
    lines: 0,
    written: 0,
    skipped: 0,
    deadLettered: 0,
    updatedAt: isoOfEpochMs(nowMs()),
  };
}

async function write(
  environment: ImportEnvironment,
  opened: OpenExport,
  request: ImportRequest,
  ledger: ImportLedger,
): Promise<WriteResult> {
  const { codec, signal } = environment;
  const from = ledger.record.position;
  const { table, transform, mode } = request;
  const isAsItIs = transform === undefined && mode.kind === 'overwrite';
  const scan = isAsItIs ? itemScanner(measuredNames(table)) : undefined;
  const source = new ImportSource({ opened, table, transform, scan, codec, from });
  const keeper = new CheckpointKeeper(environment, source, ledger);
  try {
    const result = await carryOut(environment, opened, request, source, keeper);
    await keeper.end(result.outcome);
    return result;
  } catch (error) {
    // The ledger may be what failed; the run's own error is the one to show.
    await keeper.end(signal?.aborted ? 'interrupted' : 'failed').catch(() => undefined);
    throw error;
  }
}

/** Without the place that it came from. */
function bareRequest(request: WriteRequest): WriteRequest {
  const { table } = request;
  return 'put' in request ? { table, put: request.put } : { table, delete: request.delete };
}

function carryOut(
  environment: ImportEnvironment,
  opened: OpenExport,
  request: ImportRequest,
  source: ImportSource,
  keeper: CheckpointKeeper,
): Promise<WriteResult> {
  const { writes, gates, signal, clock, random, onEvent, concurrency, deadLetters } = environment;
  return writeAll<ImportWrite>(source.requests(), {
    store: writes,
    tables: [request.table],
    gates,
    signal: keeper.signal(signal),
    clock,
    random,
    concurrency,
    onEvent,
    deadLetters: {
      write: (letter) => {
        const { file, line } = letter.request as ImportWrite;
        const place = `${opened.files[file]?.shown}:${line}`;
        onEvent?.({ kind: 'rejected', place, problem: letter.reason.message });
        const reason = { ...letter.reason, message: `${place}: ${letter.reason.message}` };
        return deadLetters.write({ ...letter, request: bareRequest(letter.request), reason });
      },
    },
    onAcknowledged: (done) => {
      for (const one of done) source.settle(one);
      keeper.acknowledged(done.length);
    },
    onDeadLetter: (one) => {
      source.settle(one);
      keeper.deadLettered();
    },
  });
}
