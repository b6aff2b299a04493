import { TablewrightError } from '../../../tables/model/error.ts';
import { tableOfSchema } from '../../../tables/model/transfer/table-schema.ts';
import type { DynamoDBClient } from '../../aws/clients.ts';
import { batchWriteStore } from '../../aws/write/batch-write-store.ts';
import { conditionalWriteStore } from '../../aws/write/conditional-write-store.ts';
import type { BatchStore } from '../../core/write/batch-outcome.ts';
import { deadLetterFile } from '../../local/dead-letter-file.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import type { ImportMode, ImportRequest } from '../../run/transfer/import-environment.ts';
import { importExport } from '../../run/transfer/import-export.ts';
import type { ImportWrite } from '../../run/transfer/import-source.ts';
import { openExport } from '../../run/transfer/open-export.ts';
import { concurrencyOf } from '../../run/write/write-options.ts';
import { budgetOf } from '../budget-of.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action, Context, Given } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { showProgress } from '../show/progress.ts';
import type { GivenIn } from '../spec/command-spec.ts';
import { describeOrRefuse } from '../transfer/describe-table.ts';
import { ensureNamed } from '../transfer/ensure-named.ts';
import { findTable } from '../transfer/find-table.ts';
import { type ImportTarget, importAll } from '../transfer/import-all.ts';
import { importInBulk } from '../transfer/import-in-bulk.ts';
import { importNatively } from '../transfer/import-natively.ts';
import { lettersPath } from '../transfer/letters-path.ts';
import { type LoadedTransform, loadTransform } from '../transfer/load-transform.ts';
import { openCsvSource } from '../transfer/open-csv-source.ts';
import { openPlace } from '../transfer/open-place.ts';
import { interruptedImport, reportImport, tellImport } from '../transfer/show-import.ts';
import type spec from './import.spec.js';

const importCommand: Action<typeof spec> = async (context, given) => {
  refuseUnclear(given);
  return withStack(context, {}, async (stack) => {
    if (given.mode === 'native') return importNatively(context, stack, given);
    if (given.mode === 'bulk') return importInBulk(context, stack, given);
    if (given.mode === 'all') return importAll(context, stack, given, importing);
    return importIntoTable(context, stack, given);
  });
};

/** Which table is meant has to be said once. */
function refuseUnclear({ mode, table }: Given<typeof spec>): void {
  const wants = mode !== 'named' && mode !== 'all';
  if (wants === (table !== undefined)) return;
  const other = mode === 'all' ? '--all' : '--table-name';
  throw new TablewrightError('BAD_ARGUMENT', wants ? 'import: --table is missing' : `import: --table does not go with ${other}`, {
    next: 'Give --table NAME for a table of the catalogue, --table-name NAME for another one, or --all.',
  });
}

type Written = GivenIn<typeof spec, 'write' | 'named' | 'all'>;

function modeOf({ skipExisting, ifNewer }: Written): ImportMode {
  if (skipExisting) return { kind: 'skip-existing' };
  return ifNewer === undefined ? { kind: 'overwrite' } : { kind: 'if-newer', attribute: ifNewer };
}

async function importIntoTable(
  context: Context,
  stack: OpenStack,
  given: GivenIn<typeof spec, 'write' | 'named'>,
): Promise<number> {
  const found = given.mode === 'write' ? findTable(stack, given.table ?? '') : undefined;
  const tableName = found?.tableName ?? (given.mode === 'named' ? given.tableName : '');
  await confirmProduction(context, stack.config, given.yes, `import into ${tableName}`);
  const place = await openPlace(context, stack, given.source);
  const transform = given.transform === undefined ? undefined : await loadTransform(context, given.transform);
  if (given.csv) {
    const table = found?.table ?? tableOfSchema(await describeOrRefuse(context, stack, tableName));
    const csv = await openCsvSource(context, stack, { ...table, name: tableName }, given);
    return importing(context, stack, { table, tableName, ...csv }, given, transform);
  }
  const opened = await openExport({ source: place.store, parent: place.parent, codec: gzipCodec, signal: context.signal });
  refuseBlindTransform(opened.summary.images, transform);
  const table = found?.table ?? (await ensureNamed(context, stack, tableName, opened));
  return importing(context, stack, { table, tableName, opened }, given, transform);
}

/** Writes one export into one table, and tells how it ended. */
async function importing(
  context: Context,
  stack: OpenStack,
  { table, tableName, opened, codec = gzipCodec }: ImportTarget,
  given: Written,
  transform?: LoadedTransform,
): Promise<number> {
  const mode = modeOf(given);
  const { threads } = given;
  const client = stack.bulkClient({ batchWrites: true, threads });
  const letters = deadLetterFile(lettersPath(context, tableName, given.deadLetters));
  const progress = showProgress(context.output);
  const rejected: string[] = [];
  const told = { progress, rejected, tableName, items: opened.summary.itemCount, hasManifest: codec === gzipCodec };
  const writes = writesOf(client, mode);
  try {
    const result = await importExport(
      {
        ...writes,
        store: stack.store,
        names: stack.config,
        codec,
        gates: new CapacityGates(budgetOf(stack, 'write', given.rate)),
        readGates: new CapacityGates(budgetOf(stack, 'read', given.rate)),
        deadLetters: letters,
        clock: systemClock,
        nowMs: Date.now,
        sleep,
        random: Math.random,
        signal: context.signal,
        concurrency: concurrencyOf(threads),
        onEvent: (event) => tellImport(context, told, event),
      },
      opened,
      requestOf({ ...table, name: tableName }, mode, transform, given),
    );
    progress.stop();
    return reportImport(context, { tableName, letters: letters.path, rejected }, given, result);
  } catch (error) {
    if (!context.signal.aborted || error instanceof TablewrightError) throw error;
    // Stopped while the files were checked or the table compared: nothing was under way.
    progress.stop();
    return interruptedImport(context, given, {});
  } finally {
    progress.stop();
    await letters.close();
    client.destroy();
  }
}

function requestOf(
  table: ImportRequest['table'] & { readonly ttl?: string },
  mode: ImportMode,
  transform: LoadedTransform | undefined,
  given: Written,
): ImportRequest {
  return {
    table,
    ttl: table.ttl,
    mode,
    transform: transform?.apply,
    options: JSON.stringify({ mode, transform: transform?.digest ?? null }),
    again: given.again,
    verify: given.verify,
  };
}

/** Without old images it cannot be known what a transform had made of a deleted item. */
function refuseBlindTransform(images: 'new-and-old' | 'new' | undefined, transform: LoadedTransform | undefined): void {
  if (images !== 'new' || transform === undefined) return;
  throw new TablewrightError(
    'BAD_EXPORT',
    'this incremental export has new images only, so --transform cannot tell what to delete',
    {
      next: 'Export with new and old images, or leave --transform out.',
    },
  );
}

function writesOf(client: DynamoDBClient, mode: ImportMode): { readonly writes: BatchStore; readonly skipped: () => number } {
  let skipped = 0;
  if (mode.kind === 'overwrite') return { writes: batchWriteStore(client), skipped: () => 0 };
  const condition =
    mode.kind === 'if-newer' ? { ...mode, beforeOf: (request: unknown) => (request as ImportWrite).before } : mode;
  const onSkipped = (): void => {
    skipped += 1;
  };
  return { writes: conditionalWriteStore(client, condition, onSkipped), skipped: () => skipped };
}

export default importCommand;
