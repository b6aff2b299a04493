import { randomUUID } from 'node:crypto';
import { TablewrightError } from '../../../tables/model/error.ts';
import { bulkStore } from '../../aws/transfer/bulk-store.ts';
import { s3BlobStore } from '../../aws/transfer/s3-blob-store.ts';
import { batchWriteStore } from '../../aws/write/batch-write-store.ts';
import { plural, showBytes, showNumber } from '../../core/show/numbers.ts';
import { leastBulkRate } from '../../core/transfer/bulk-store.ts';
import { deadLetterFile } from '../../local/dead-letter-file.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import { LedgerStore } from '../../run/ledger/ledger-store.ts';
import type { BulkEvent, BulkImportResult } from '../../run/transfer/bulk/bulk-environment.ts';
import { runBulkImport } from '../../run/transfer/bulk/run-bulk.ts';
import type { Verification } from '../../run/transfer/import-environment.ts';
import { type OpenExport, openExport } from '../../run/transfer/open-export.ts';
import { verifyImport } from '../../run/transfer/verify-import.ts';
import { budgetedRead, budgetOf } from '../budget-of.ts';
import type spec from '../commands/import.spec.js';
import { confirmProduction } from '../confirm-production.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { localStack } from '../local-stack.ts';
import type { OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { showCommand } from '../show/command-line.ts';
import { type Progress, showProgress } from '../show/progress.ts';
import type { GivenIn } from '../spec/command-spec.ts';
import { findTable } from './find-table.ts';
import { lettersPath } from './letters-path.ts';
import { openPlace } from './open-place.ts';
import { stackBucket } from './stack-bucket.ts';

type Bulk = GivenIn<typeof spec, 'bulk'>;

/** DynamoDB's own bulk put, from a copy of the export that is made for it. */
export async function importInBulk(context: Context, stack: OpenStack, given: Bulk): Promise<number> {
  const { table, tableName } = findTable(stack, given.table ?? '');
  const rate = refuse(stack, given);
  await confirmProduction(context, stack.config, given.yes, `bulk import into ${tableName}`);
  const place = await openPlace(context, stack, given.source);
  const opened = await openExport({ source: place.store, parent: place.parent, codec: gzipCodec, signal: context.signal });
  if (opened.summary.kind === 'incremental') {
    throw new TablewrightError('BAD_EXPORT', `${opened.place}: a bulk put only puts, and an incremental export deletes, too`, {
      next: 'Leave --bulk out.',
    });
  }
  const bucketName = await stackBucket(stack, '--bulk');
  const { client: s3 } = await stack.s3();
  const letters = deadLetterFile(lettersPath(context, tableName, given.deadLetters));
  const progress = showProgress(context.output);
  const physical = { ...table, name: tableName };
  try {
    const result = await runBulkImport(
      {
        bulk: bulkStore(stack.client),
        ledger: new LedgerStore(budgetedRead(stack)),
        bucket: s3BlobStore(s3, { bucket: bucketName, prefix: '' }),
        codec: gzipCodec,
        deadLetters: letters,
        nowMs: Date.now,
        steadyMs: () => performance.now(),
        sleep,
        random: Math.random,
        token: randomUUID,
        signal: context.signal,
        pollMs: given.pollMs,
        onEvent: (event) => tell(context, progress, tableName, event),
      },
      opened,
      { table: physical, bucketName, rate, again: given.again, cancel: given.cancel },
    );
    progress.stop();
    if (result.outcome === 'interrupted') return interrupted(context, given, result);
    if (result.outcome === 'nothing') return nothing(context, tableName, result.rejected, letters.path);
    const verified = await verify(context, stack, opened, physical, given);
    return report(context, { tableName, items: opened.summary.itemCount, letters: letters.path }, result, verified);
  } finally {
    progress.stop();
    await letters.close();
  }
}

/** What DynamoDB would refuse, and what on production has to be said. Gives the rate. */
function refuse(stack: OpenStack, { rate, overwrite, cancel }: Bulk): number {
  if (stack.name === localStack && stack.engine !== undefined) {
    throw new TablewrightError('BAD_ARGUMENT', '--bulk: the embedded engine has no bulk put', { next: 'Leave --bulk out.' });
  }
  if (stack.config.production && !overwrite && !cancel) {
    throw new TablewrightError('REFUSED_IN_PRODUCTION', 'a bulk put replaces items that are there, without a condition', {
      next: 'Give --overwrite if that is meant; else import with --skip-existing or --if-newer and without --bulk.',
    });
  }
  const wanted = rate ?? Math.max(leastBulkRate, stack.config.budgets.write);
  if (wanted >= leastBulkRate) return wanted;
  throw new TablewrightError(
    'BAD_ARGUMENT',
    `--rate ${wanted}: DynamoDB limits a bulk put to ${leastBulkRate} write units a second or more`,
    {
      next: `Give --rate ${leastBulkRate}, or leave --bulk out for less.`,
    },
  );
}

async function verify(
  context: Context,
  stack: OpenStack,
  opened: OpenExport,
  table: Parameters<typeof verifyImport>[2]['table'] & { readonly ttl?: string },
  given: Bulk,
) {
  const client = stack.bulkClient();
  const gates = new CapacityGates(budgetOf(stack, 'read', undefined));
  try {
    return await verifyImport(
      {
        writes: batchWriteStore(client),
        store: stack.store,
        names: stack.config,
        codec: gzipCodec,
        gates,
        readGates: gates,
        deadLetters: { write: async () => undefined },
        clock: systemClock,
        nowMs: Date.now,
        sleep,
        random: Math.random,
        signal: context.signal,
      },
      opened,
      { table, ttl: table.ttl, mode: { kind: 'overwrite' }, options: '', again: false, verify: given.verify },
    );
  } finally {
    client.destroy();
  }
}

function tell(context: Context, progress: Progress, tableName: string, event: BulkEvent): void {
  if (event.kind === 'staging') progress.update({ label: `stage ${tableName}`, done: event.lines, total: event.of });
  else if (event.kind === 'started') {
    const what = event.found ? 'Picked up' : 'Started';
    const price = 'DynamoDB bills it by bulk put bytes; no price of them is known here.';
    context.output.note({ event: 'bulk-started', arn: event.arn, found: event.found }, `${what} ${event.arn}\n${price}`);
  } else if (event.kind === 'waiting') {
    const { status, processedItems, processedBytes, totalBytes, failedItems } = event.operation;
    const remarks = [status, `${showNumber(processedItems)} items`, `${showNumber(failedItems)} failed`];
    progress.update({ label: `bulk put ${tableName}`, done: processedBytes, total: totalBytes, counted: 'bytes', remarks });
  }
}

function interrupted(
  context: Context,
  { source, table, deadLetters, rate, overwrite }: Bulk,
  { arn, asked }: Extract<BulkImportResult, { readonly outcome: 'interrupted' }>,
): number {
  const options = { table, bulk: true, rate, overwrite, deadLetters };
  const next = showCommand(context, ['import', source.text], options);
  const stop = showCommand(context, ['import', source.text], { table, bulk: true, cancel: true });
  const unknown = asked ? 'DynamoDB may have begun; the next run finds that out.' : 'nothing was started.';
  const where = `Interrupted; ${arn === undefined ? unknown : `DynamoDB goes on with ${arn}.`}`;
  const cancel = asked ? `\n→ Cancel it with: ${stop}` : '';
  context.output.error({ error: 'INTERRUPTED', arn: arn ?? null, next }, `${where}\n→ Go on with: ${next}${cancel}`);
  return exitCodes.interrupted;
}

function nothing({ output }: Context, table: string, rejected: number, letters: string): number {
  output.result({ event: 'imported', table, bulk: true, outcome: 'nothing', rejected }, () =>
    rejected === 0
      ? `The export has no items; nothing was put into ${table}.`
      : `No item of the export can be stored in ${table}, and nothing was put; all ${plural(rejected, 'item')} are in ${letters}`,
  );
  return rejected === 0 ? 0 : 1;
}

interface Told {
  readonly tableName: string;
  readonly items: number;
  readonly letters: string;
}

function report(
  context: Context,
  { tableName, items, letters }: Told,
  result: Extract<BulkImportResult, { readonly outcome: 'ended' }>,
  verified: Verification | undefined,
): number {
  const { operation, rejected, reported, already } = result;
  const { status, processedItems, failedItems, putBytes, failure } = operation;
  const whole = status === 'COMPLETED' && rejected === 0 && reported === 0 && (verified?.differing ?? 0) === 0;
  const left = rejected + reported;
  context.output.result({ event: 'imported', table: tableName, bulk: true, ...result, verified: verified ?? null }, () =>
    [
      `${already ? 'It was put before: ' : ''}${status}: DynamoDB looked at ${plural(processedItems, 'item')} of ${showNumber(items)} for ${tableName}, ${showNumber(failedItems)} failed.`,
      ...(failure === undefined ? [] : [`${failure.code}: ${failure.message}`]),
      ...(putBytes === undefined ? [] : [`Billed: ${showBytes(putBytes)} of bulk put.`]),
      ...(left > 0
        ? [`${plural(left, 'item')} were not written; they are in ${already ? 'the dead letters of that run' : letters}`]
        : []),
      ...(verified === undefined
        ? []
        : [
            `Verified (${verified.depth}): ${plural(verified.compared, 'item')} compared, ${showNumber(verified.compared - verified.differing)} are as the export has them.`,
            ...verified.differences.map((one) => `  - ${one}`),
          ]),
      ...(whole ? [] : ['→ Correct what is named, then run the command with --again: puts may be repeated.']),
    ].join('\n'),
  );
  return whole ? 0 : 1;
}
