import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { DynamoDBClient } from '../../aws/clients.ts';
import { pageStore } from '../../aws/transfer/page-store.ts';
import { batchWriteStore } from '../../aws/write/batch-write-store.ts';
import { conditionalWriteStore } from '../../aws/write/conditional-write-store.ts';
import type { ImportStep } from '../../core/migrate/define-migration.ts';
import { deadLetterFile } from '../../local/dead-letter-file.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import type { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import type { StepTransfer } from '../../run/migrate/transfer-step.ts';
import { defaultSegments } from '../../run/transfer/export-environment.ts';
import { exportTable } from '../../run/transfer/export-table.ts';
import { importExport } from '../../run/transfer/import-export.ts';
import { openExport } from '../../run/transfer/open-export.ts';
import { localDirectory, type OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { openPlace, placeOf, s3Place } from './open-place.ts';
import { stackBucket } from './stack-bucket.ts';
import { tableArnOf } from './table-arn.ts';

export interface StepTransferOptions {
  readonly stack: OpenStack;
  readonly root: string;
  /** Repeats nothing by itself. */
  readonly client: DynamoDBClient;
  /** The migration's own budgets. */
  readonly gates: { readonly read: CapacityGates; readonly write: CapacityGates };
}

/** Export and import steps of migrations, as the `export` and `import` commands do them. */
export function stepTransfer(options: StepTransferOptions): StepTransfer {
  const { stack, root, client, gates } = options;
  const nameOf = (table: Table): string => physicalName(table, stack.config);
  return {
    exportTable: async (step, job, signal) => {
      const tableName = nameOf(step.table);
      const to = step.to === undefined ? s3Place(await stackBucket(stack, 'to'), `exports/${tableName}/`) : placeOf(step.to);
      const { store } = await openPlace({ root }, stack, to);
      const result = await exportTable(
        {
          store: pageStore(client),
          target: store,
          codec: gzipCodec,
          gates: gates.read,
          clock: systemClock,
          nowMs: Date.now,
          randomId: () => randomBytes(4).toString('hex'),
          random: Math.random,
          sleep,
          signal,
        },
        {
          tableName,
          tableArn: tableArnOf(stack, tableName),
          segments: defaultSegments,
          consistent: true,
          options: JSON.stringify({ job }),
          remarks: { by: 'tablewright', portable: true, job },
        },
      );
      return result.outcome === 'complete' ? { place: result.place, items: result.items } : undefined;
    },
    importExport: (step, job, signal) => importStep(options, step, nameOf(step.table), job, signal),
  };
}

async function importStep(
  { stack, root, client, gates }: StepTransferOptions,
  step: ImportStep,
  tableName: string,
  job: string,
  signal: AbortSignal,
) {
  const { store, parent } = await openPlace({ root }, stack, placeOf(step.from));
  const opened = await openExport({ source: store, parent, codec: gzipCodec, signal });
  const letters = deadLetterFile(join(localDirectory(root), 'dead-letters', `${job.replaceAll(/[^\w-]/g, '-')}.jsonl`));
  const mode = step.skipExisting === true ? ({ kind: 'skip-existing' } as const) : ({ kind: 'overwrite' } as const);
  try {
    const result = await importExport(
      {
        writes: mode.kind === 'overwrite' ? batchWriteStore(client) : conditionalWriteStore(client, mode, () => undefined),
        store: stack.store,
        names: stack.config,
        codec: gzipCodec,
        gates: gates.write,
        readGates: gates.read,
        deadLetters: letters,
        clock: systemClock,
        nowMs: Date.now,
        sleep,
        random: Math.random,
        signal,
      },
      opened,
      {
        table: { ...step.table, name: tableName },
        ttl: step.table.ttl,
        mode,
        options: JSON.stringify({ mode, job }),
        again: false,
        verify: 'sample',
      },
    );
    if (result.outcome === 'interrupted') return undefined;
    if (result.outcome === 'complete') return { place: opened.place, items: result.items };
    throw new TablewrightError(
      'CHECK_FAILED',
      `${tableName}: ${result.deadLettered} items of ${opened.place} could not be imported, ${result.verified?.differing ?? 0} differ`,
      {
        problems: result.verified?.differences ?? [],
        next: `Look at ${letters.path}, correct the export or the table, then run 'tablewright migrate' again.`,
      },
    );
  } finally {
    await letters.close();
  }
}
