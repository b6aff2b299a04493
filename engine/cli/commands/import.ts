import { join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { DynamoDBClient } from '../../aws/clients.ts';
import { batchWriteStore } from '../../aws/write/batch-write-store.ts';
import { conditionalWriteStore } from '../../aws/write/conditional-write-store.ts';
import type { BatchStore } from '../../core/write/batch-outcome.ts';
import { deadLetterFile } from '../../local/dead-letter-file.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import type { ImportMode, ImportRequest, VerifyDepth } from '../../run/transfer/import-environment.ts';
import { importExport } from '../../run/transfer/import-export.ts';
import type { ImportWrite } from '../../run/transfer/import-source.ts';
import { openExport } from '../../run/transfer/open-export.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { CommandFunction, CommandOptions, Context } from '../context.ts';
import { localDirectory, type OpenStack, withStack } from '../open-stack.ts';
import { showProgress } from '../progress.ts';
import { sleep } from '../read-environment.ts';
import { budgetOf } from '../transfer/budget-of.ts';
import { findTable } from '../transfer/find-table.ts';
import { importNatively } from '../transfer/import-natively.ts';
import { type LoadedTransform, loadTransform } from '../transfer/load-transform.ts';
import { openPlace } from '../transfer/open-place.ts';
import { interruptedImport, reportImport, tellImport } from '../transfer/show-import.ts';

const importCommand: CommandFunction = (context, [source], options) =>
  withStack(context, {}, async (stack) => {
    const mode = modeOf(options);
    if (options.native === true) return importNatively(context, stack, String(source), options);
    return importIntoTable(context, stack, String(source), mode, options);
  });

function modeOf(options: CommandOptions): ImportMode {
  const own = ['ifNewer', 'skipExisting', 'transform', 'again'].filter((name) => options[name] !== undefined);
  if (options.native === true && own.length > 0) {
    throw new TablewrightError('BAD_ARGUMENT', '--native makes a new table and takes the items as they are', {
      next: 'Leave out --if-newer, --skip-existing, --transform and --again, or --native.',
    });
  }
  if (options.ifNewer !== undefined && options.skipExisting === true) {
    throw new TablewrightError('BAD_ARGUMENT', '--if-newer and --skip-existing exclude each other', {
      next: 'Give one of them.',
    });
  }
  if (options.skipExisting === true) return { kind: 'skip-existing' };
  return options.ifNewer === undefined ? { kind: 'overwrite' } : { kind: 'if-newer', attribute: String(options.ifNewer) };
}

async function importIntoTable(
  context: Context,
  stack: OpenStack,
  source: string,
  mode: ImportMode,
  options: CommandOptions,
): Promise<number> {
  const { table, tableName } = findTable(stack, String(options.table));
  await confirmProduction(context, stack.config, options.yes === true, `import into ${tableName}`);
  const transform = options.transform === undefined ? undefined : await loadTransform(context, String(options.transform));
  const place = await openPlace(context, stack, source);
  const opened = await openExport({ source: place.store, parent: place.parent, codec: gzipCodec, signal: context.signal });
  refuseBlindTransform(opened.summary.images, transform);
  const client = stack.bulkClient({ batchWrites: true });
  const letters = deadLetterFile(lettersPath(context, tableName, options));
  const progress = showProgress(context.output);
  const rejected: string[] = [];
  const writes = writesOf(client, mode);
  try {
    const result = await importExport(
      {
        ...writes,
        store: stack.store,
        names: stack.config,
        codec: gzipCodec,
        gates: new CapacityGates(budgetOf(stack, 'write', options.rate as number | undefined)),
        readGate: new CapacityGates(budgetOf(stack, 'read', options.rate as number | undefined)).of(tableName),
        deadLetters: letters,
        clock: systemClock,
        epochMs: Date.now,
        sleep,
        random: Math.random,
        signal: context.signal,
        onEvent: (event) => tellImport(context, { progress, rejected, tableName, items: opened.summary.itemCount }, event),
      },
      opened,
      requestOf({ ...table, name: tableName }, mode, transform, options),
    );
    progress.stop();
    return reportImport(
      context,
      stack,
      { source, tableName, table: table.name, letters: letters.path, rejected },
      options,
      result,
    );
  } catch (error) {
    if (!context.signal.aborted || error instanceof TablewrightError) throw error;
    // Stopped while the files were checked or the table compared: nothing was under way.
    progress.stop();
    return interruptedImport(context, stack, { source, table: table.name }, options, {});
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
  options: CommandOptions,
): ImportRequest {
  return {
    table,
    ttl: table.ttl,
    mode,
    transform: transform?.apply,
    options: JSON.stringify({ mode, transform: transform?.digest ?? null }),
    again: options.again === true,
    verify: (options.verify as VerifyDepth | undefined) ?? 'sample',
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

function lettersPath(context: Context, tableName: string, options: CommandOptions): string {
  if (options.deadLetters !== undefined) return String(options.deadLetters);
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  return join(localDirectory(context.root), 'dead-letters', `import-${tableName}-${time}.jsonl`);
}

export default importCommand;
