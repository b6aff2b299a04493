import { randomBytes } from 'node:crypto';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { entityOf } from '../../../tables/model/item.ts';
import { statisticsPrefix } from '../../../tables/model/stack/config/storage.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { ArchivePlan } from '../../../tables/model/transfer/archive-plan.ts';
import { printSchema } from '../../../tables/model/transfer/table-schema.ts';
import { pageStore } from '../../aws/transfer/page-store.ts';
import { conditionalWriteStore } from '../../aws/write/conditional-write-store.ts';
import { ageOf } from '../../core/archive/item-age.ts';
import { nameAdvice } from '../../core/show/name-advice.ts';
import { plural } from '../../core/show/numbers.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { type ArchiveItemsResult, archiveItems } from '../../run/archive/archive-items.ts';
import type { ArchivedDelete } from '../../run/archive/delete-unchanged.ts';
import { itemRemoval, type RemoveEnvironment } from '../../run/archive/remove-archived.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import { defaultSegments, type ExportResult } from '../../run/transfer/export-environment.ts';
import { exportTable } from '../../run/transfer/export-table.ts';
import { budgetOf, rateOf } from '../budget-of.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action, Context, Given } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { type OpenStack, withStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { showCommand } from '../show/command-line.ts';
import { showProgress } from '../show/progress.ts';
import { describeOrRefuse } from '../transfer/describe-table.ts';
import { findTable } from '../transfer/find-table.ts';
import { openPlace, s3Place } from '../transfer/open-place.ts';
import { itemsOnce, readingState } from '../transfer/show-export.ts';
import { stackBucket } from '../transfer/stack-bucket.ts';
import { tableArnOf } from '../transfer/table-arn.ts';
import type spec from './archive-items.spec.js';

const archiveItemsCommand: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    const { table, tableName } = findTable(stack, given.table);
    refuseUnknown(table, given.by);
    if (given.delete) await confirmProduction(context, stack.config, given.yes, `archive and delete items of ${tableName}`);
    // The bucket's lifecycle never lets anything under this prefix expire.
    const to = given.to ?? s3Place(await stackBucket(stack, '--to'), `${statisticsPrefix}items/${tableName}/`);
    const { store: target } = await openPlace(context, stack, to);
    const counts = { unknown: 0 };
    const { removal, close } = openRemoval(context, stack, { ...table, name: tableName }, given);
    const result = await archiveItems(
      {
        target,
        codec: gzipCodec,
        nowMs: Date.now,
        signal: context.signal,
        exportOlder: (plan) => exportOlder(context, stack, { table, tableName, target, counts }, plan, given),
        removal,
      },
      {
        tableName,
        by: given.by,
        olderThan: given.olderThan.text,
        beforeSeconds: given.olderThan.before(Date.now()),
        remove: given.delete,
      },
    ).finally(close);
    return report(context, given, tableName, result, counts.unknown);
  });

/** With a name that no item has, nothing would be archived, without a word of it. */
function refuseUnknown({ name, entities }: Table, by: string): void {
  const known = [...new Set(entities.flatMap(({ schema }) => Object.keys(schema.shape)))].toSorted();
  if (known.length === 0 || known.includes(by)) return;
  throw new TablewrightError(
    'UNKNOWN_NAME',
    `archive items: --by ${by}: no entity of ${name} has it, so no item has a time there`,
    {
      next: `Nothing was read. ${nameAdvice(by, known)}`,
    },
  );
}

interface Archived {
  readonly table: Table;
  readonly tableName: string;
  readonly target: BlobStore;
  readonly counts: { unknown: number };
}

async function exportOlder(
  context: Context,
  stack: OpenStack,
  { table, tableName, target, counts }: Archived,
  { by, beforeSeconds }: ArchivePlan,
  { readRate }: Given<typeof spec>,
): Promise<ExportResult> {
  const client = stack.bulkClient();
  const progress = showProgress(context.output);
  const whole = { items: await itemsOnce(stack, tableName, context.signal), budget: rateOf(stack, 'read', readRate) };
  try {
    return await exportTable(
      {
        store: pageStore(client),
        target,
        codec: gzipCodec,
        gates: new CapacityGates(budgetOf(stack, 'read', readRate)),
        clock: systemClock,
        nowMs: Date.now,
        randomId: () => randomBytes(4).toString('hex'),
        random: Math.random,
        sleep,
        signal: context.signal,
        onEvent: (event) => {
          if (event.kind === 'progress') progress.update(readingState(`archive ${tableName}`, event.progress, whole));
        },
      },
      {
        tableName,
        tableArn: tableArnOf(stack, tableName),
        segments: defaultSegments,
        // What is deleted afterwards must not be an old copy.
        consistent: true,
        options: JSON.stringify({ by, beforeSeconds }),
        shape: (item) => {
          const age = ageOf(item, by, beforeSeconds);
          if (age === 'unknown') counts.unknown += 1;
          return age === 'older' ? item : undefined;
        },
        schema: printSchema(await describeOrRefuse(context, stack, tableName)),
        remarks: { by: 'tablewright', archive: table.name, attribute: by, before: beforeSeconds },
      },
    );
  } finally {
    progress.stop();
    client.destroy();
  }
}

/** What deletes need, opened once: the budgets hold over all files. */
function openRemoval(context: Context, stack: OpenStack, table: Table, { rate, readRate }: Given<typeof spec>) {
  const client = stack.bulkClient();
  const ports: RemoveEnvironment = {
    deletes: ({ onStopped, onDeleted }) => {
      const condition = {
        kind: 'as-seen',
        seenOf: (request: unknown) => seenOf(table, (request as ArchivedDelete).archived),
        onDeleted: (request: unknown, deleted: Item) => onDeleted((request as ArchivedDelete).archived, deleted),
      } as const;
      return conditionalWriteStore(client, condition, onStopped);
    },
    puts: (onTaken) => conditionalWriteStore(client, { kind: 'skip-existing' }, onTaken),
    read: { store: stack.store, gates: new CapacityGates(budgetOf(stack, 'read', readRate)), sleep, random: Math.random },
    table,
    codec: gzipCodec,
    gates: new CapacityGates(budgetOf(stack, 'write', rate)),
    clock: systemClock,
    random: Math.random,
    signal: context.signal,
  };
  return { removal: (folder: BlobStore) => itemRemoval(ports, folder), close: () => client.destroy() };
}

/** Every attribute as it was archived, and none that the catalogue knows and the item had not. */
function seenOf(table: Table, archived: Item): Readonly<Record<string, Item[string] | undefined>> {
  const known = Object.keys(entityOf(table, archived)?.schema.shape ?? {});
  return { ...Object.fromEntries(known.map((name) => [name, undefined])), ...archived };
}

function report(
  context: Context,
  given: Given<typeof spec>,
  tableName: string,
  result: ArchiveItemsResult,
  unknown: number,
): number {
  const { by, olderThan, to, rate, readRate, yes } = given;
  if (result.outcome === 'interrupted') {
    const options = { olderThan: olderThan.text, by, to: to?.text, delete: given.delete, readRate, rate, yes };
    const next = showCommand(context, ['archive', 'items', given.table], options);
    const where = result.archived ? 'All is archived; not all of it is deleted' : 'Not all is archived, nothing was deleted';
    context.output.error({ error: 'INTERRUPTED', ...result, next }, `Interrupted. ${where}.\n→ Go on with: ${next}`);
    return exitCodes.interrupted;
  }
  const { items, removed, kept, late, place } = result;
  context.output.result({ event: 'items-archived', table: tableName, unknown, ...result }, () =>
    [
      `Archived ${plural(items, 'item')} of ${tableName} by ${by} and read them back.`,
      ...(given.delete ? [`Deleted ${plural(removed, 'item')}; ${kept} have changed since or are gone.`] : []),
      ...(late > 0
        ? [`${plural(late, 'item')} changed in the moment of their delete, and others have their keys: they lie in late/.`]
        : []),
      ...(unknown > 0 ? [`${plural(unknown, 'item')} have no time in ${by} and stay as they are.`] : []),
      place,
    ].join('\n'),
  );
  return 0;
}

export default archiveItemsCommand;
