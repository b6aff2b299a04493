import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
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
import { runNativeExport } from '../../run/transfer/native/run-export.ts';
import { openExport } from '../../run/transfer/open-export.ts';
import { filePages } from '../../run/transfer/refresh/file-pages.ts';
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

interface Rates {
  readonly rate: number | undefined;
  readonly readRate: number | undefined;
  readonly portable: boolean;
  readonly pollMs: number | undefined;
}

type Ports = Pick<RefreshEnvironment, 'exportTo' | 'importFrom'> & { close(): Promise<void> };

/** How a refresh reads one stack and writes to the other, each within its budget. */
export function refreshPorts(context: Context, { from, to }: Sides, rates: Rates, progress: Progress): Ports {
  const reading = from.bulkClient();
  const writing = to.bulkClient({ batchWrites: true });
  const readGates = new CapacityGates(budgetOf(from, 'read', rates.readRate));
  const writeGates = new CapacityGates(budgetOf(to, 'write', rates.rate));
  const checkGates = new CapacityGates(budgetOf(to, 'read', undefined));
  const letters = deadLetterFile(join(localDirectory(context.root), 'dead-letters', `refresh-${Date.now()}.jsonl`));
  const { signal } = context;
  const natives = new Map<string, Promise<PageStore<RawItem> | undefined>>();
  const nativeOf = (table: Table): Promise<PageStore<RawItem> | undefined> => {
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
        store: native ?? pageStore(reading),
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
      return exportTable(environment, { tableName, tableArn, segments: defaultSegments, consistent: false, remarks, ...change });
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

/** The table from a native export of its log, where there is one; reading the table otherwise. */
async function nativePages(
  context: Context,
  from: OpenStack,
  table: Table,
  { portable, pollMs }: Rates,
): Promise<PageStore<RawItem> | undefined> {
  // Servers that stand in for DynamoDB have no such log.
  const isElsewhere = from.endpoint !== undefined && !isAmazon(from.endpoint);
  if (portable || isElsewhere) return undefined;
  const tableName = physicalName(table, from.config);
  const environment = nativeEnvironment(context, from, pollMs);
  const { enabled } = await environment.native.pitr(tableName, context.signal);
  if (!enabled) return undefined;
  const bucket = await stackBucket(from, '--from');
  const result = await runNativeExport(environment, { tableName, bucket, prefix: `exports/${tableName}/refresh/` });
  environment.progress.stop();
  if (result.outcome === 'interrupted') throw new DOMException('stopped', 'AbortError');
  const { failure, manifest = '' } = result.export;
  if (result.outcome === 'failed') {
    throw new TablewrightError(
      'STORE_FAILED',
      `${result.arn}: the export failed: ${failure?.code ?? '?'}: ${failure?.message ?? ''}`,
      {
        next: 'Correct what it names, then run the command again; or give --portable to read the table.',
      },
    );
  }
  const at = s3Place(bucket, manifest.replace(/manifest-summary\.json$/, ''));
  const { store, parent } = await openPlace(context, from, at);
  return filePages(await openExport({ source: store, parent, codec: gzipCodec, signal: context.signal }), gzipCodec);
}
