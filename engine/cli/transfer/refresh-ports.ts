import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { isAmazon } from '../../aws/clients.ts';
import { pageStore } from '../../aws/transfer/page-store.ts';
import { batchWriteStore } from '../../aws/write/batch-write-store.ts';
import type { PageStore } from '../../core/store/store.ts';
import type { RawItem } from '../../core/transfer/split-answer.ts';
import type { ExportEvent, ImportEvent } from '../../core/transfer/transfer-event.ts';
import { deadLetterFile } from '../../local/dead-letter-file.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import { defaultSegments } from '../../run/transfer/export-environment.ts';
import { exportTable } from '../../run/transfer/export-table.ts';
import { importExport } from '../../run/transfer/import-export.ts';
import { openExport } from '../../run/transfer/open-export.ts';
import { filePages } from '../../run/transfer/refresh/file-pages.ts';
import { forgetNativeSource, nativeSource } from '../../run/transfer/refresh/native-source.ts';
import type { RefreshEnvironment } from '../../run/transfer/refresh/run-refresh.ts';
import { budgetOf, rateOf } from '../budget-of.ts';
import type { Context } from '../context.ts';
import { localDirectory, type OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import type { Progress } from '../show/progress.ts';
import { ledgerRecordsOf } from './ledger-records-of.ts';
import { nativeEnvironment } from './native-environment.ts';
import { openPlace, s3Place } from './open-place.ts';
import { itemsOnce, readingState } from './show-export.ts';
import { showImporting } from './show-import.ts';
import { stackBucket } from './stack-bucket.ts';
import { tableArnOf } from './table-arn.ts';

/** The two stacks of a refresh. */
export interface Sides {
  readonly from: OpenStack;
  readonly to: OpenStack;
}

interface RefreshOptions {
  /** The same for the same stacks, rules, key and share. */
  readonly id: string;
  readonly rate: number | undefined;
  readonly readRate: number | undefined;
  readonly portable: boolean;
  readonly pollMs: number | undefined;
}

type Ports = Pick<RefreshEnvironment, 'exportTo' | 'importFrom'> & { close(): Promise<void> };

/** How a refresh reads one stack and writes to the other, each within its budget. */
export function refreshPorts(context: Context, { from, to }: Sides, rates: RefreshOptions, progress: Progress): Ports {
  const reading = from.bulkClient();
  const writing = to.bulkClient({ batchWrites: true });
  const readGates = new CapacityGates(budgetOf(from, 'read', rates.readRate));
  const writeGates = new CapacityGates(budgetOf(to, 'write', rates.rate));
  const checkGates = new CapacityGates(budgetOf(to, 'read', undefined));
  const letters = deadLetterFile(join(localDirectory(context.root), 'dead-letters', `refresh-${Date.now()}.jsonl`));
  const { signal } = context;
  const natives = new Map<string, Promise<NativePages | undefined>>();
  const nativeOf = (table: Table): Promise<NativePages | undefined> => {
    const known = natives.get(table.name) ?? nativePages(context, from, table, rates);
    natives.set(table.name, known);
    return known;
  };
  const ports = { clock: systemClock, nowMs: Date.now, random: Math.random, sleep, codec: gzipCodec, signal };
  return {
    exportTo: async (table, target, change) => {
      const tableName = physicalName(table, from.config);
      const native = await nativeOf(table);
      const whole = { items: await itemsOnce(from, tableName, signal), budget: rateOf(from, 'read', rates.readRate) };
      const environment = {
        ...ports,
        store: native?.pages ?? pageStore(reading),
        target,
        records: ledgerRecordsOf(context, from, tableName),
        gates: native === undefined ? readGates : new CapacityGates({ unlimited: true }),
        randomId: () => randomBytes(4).toString('hex'),
        onEvent: (event: ExportEvent) => {
          if (event.kind === 'progress') progress.update(readingState(`read ${table.name}`, event.progress, whole));
        },
      };
      const remarks = { by: 'tablewright', refresh: true };
      const tableArn = tableArnOf(from, tableName);
      const request = { tableName, tableArn, segments: defaultSegments, consistent: false, remarks, ...change };
      // Where a run goes on is a place in the files of this one.
      const options = native === undefined ? change.options : `${change.options} of ${native.arn}`;
      return exportTable(environment, { ...request, options });
    },
    importFrom: (table, opened) => {
      const name = physicalName(table, to.config);
      const environment = {
        ...ports,
        writes: batchWriteStore(writing),
        store: to.store,
        names: to.config,
        gates: writeGates,
        readGates: checkGates,
        deadLetters: letters,
        onEvent: (event: ImportEvent) => showImporting(progress, name, opened.summary.itemCount, event),
      };
      return importExport(environment, opened, {
        table: { ...table, name },
        ttl: table.ttl,
        mode: { kind: 'overwrite' },
        options: JSON.stringify({ refresh: true }),
        again: false,
        verify: 'sample',
      });
    },
    close: async () => {
      await letters.close();
      reading.destroy();
      writing.destroy();
    },
  };
}

/** A table's native export, read as pages. */
interface NativePages {
  readonly arn: string;
  readonly pages: PageStore<RawItem>;
}

/** Where the native exports of a refresh lie, and which job each is. */
async function sourceOf(from: OpenStack, table: Table, id: string) {
  const tableName = physicalName(table, from.config);
  return { tableName, bucket: await stackBucket(from, '--from'), prefix: `exports/${tableName}/refresh/${id}/` };
}

/** Servers that stand in for DynamoDB have no log to export from. */
const isReadDirectly = ({ endpoint }: OpenStack, portable: boolean): boolean =>
  portable || (endpoint !== undefined && !isAmazon(endpoint));

/** The table from a native export of its log, where there is one; reading the table otherwise. */
async function nativePages(
  context: Context,
  from: OpenStack,
  table: Table,
  { portable, pollMs, id }: RefreshOptions,
): Promise<NativePages | undefined> {
  if (isReadDirectly(from, portable)) return undefined;
  const environment = nativeEnvironment(context, from, pollMs);
  const request = await sourceOf(from, table, id);
  const source = await nativeSource(environment, request).finally(() => environment.progress.stop());
  if (source === undefined) return undefined;
  const at = s3Place(request.bucket, source.manifest.replace(/manifest-summary\.json$/, ''));
  const { store, parent } = await openPlace(context, from, at);
  const opened = await openExport({ source: store, parent, codec: gzipCodec, signal: context.signal });
  return { arn: source.arn, pages: filePages(opened, gzipCodec) };
}

/** Has the next refresh of the same stacks, rules and share begin with new exports. */
export async function forgetSources(
  context: Context,
  { from }: Sides,
  tables: readonly Table[],
  { portable, id }: RefreshOptions,
): Promise<void> {
  if (isReadDirectly(from, portable)) return;
  const { memory } = nativeEnvironment(context, from);
  for (const table of tables) await forgetNativeSource(memory, await sourceOf(from, table, id));
}
