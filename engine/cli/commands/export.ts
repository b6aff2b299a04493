import { randomBytes } from 'node:crypto';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { entityOf } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { pageStore } from '../../aws/transfer/page-store.ts';
import { plural, showBytes, showDuration, showUnits } from '../../core/show/numbers.ts';
import type { NumberedRule } from '../../core/transfer/mask/bind-rules.ts';
import type { ExportEvent } from '../../core/transfer/transfer-event.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import { defaultSegments, type ExportRequest, type ExportResult } from '../../run/transfer/export-environment.ts';
import { exportTable } from '../../run/transfer/export-table.ts';
import { budgetOf } from '../budget-of.ts';
import type { Action, Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { type OpenStack, withStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { showCommand } from '../show/command-line.ts';
import { type Progress, showProgress } from '../show/progress.ts';
import type { ExportPlace, GivenIn } from '../spec/command-spec.ts';
import { exportNatively } from '../transfer/export-natively.ts';
import { findTable } from '../transfer/find-table.ts';
import { ledgerRecordsOf } from '../transfer/ledger-records-of.ts';
import { openPlace, s3Place } from '../transfer/open-place.ts';
import { exportMask, readMask } from '../transfer/read-mask.ts';
import { showTally } from '../transfer/show-tally.ts';
import { stackBucket } from '../transfer/stack-bucket.ts';
import { tableArnOf } from '../transfer/table-arn.ts';
import type spec from './export.spec.js';

const exportCommand: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    const { table, tableName } = findTable(stack, given.table);
    const to = given.to ?? s3Place(await stackBucket(stack, '--to'), `exports/${tableName}/`);
    if (given.mode !== 'portable') return exportNatively(context, stack, { table, tableName, to }, given);
    return exportPortably(context, stack, { table, tableName, to }, given);
  });

type Portable = GivenIn<typeof spec, 'portable'>;

export interface ExportTarget {
  readonly table: Table;
  readonly tableName: string;
  readonly to: ExportPlace;
}

async function exportPortably(context: Context, stack: OpenStack, target: ExportTarget, given: Portable): Promise<number> {
  const request = await requestOf(context, stack, target, given);
  const { store } = await openPlace(context, stack, target.to);
  const gates = new CapacityGates(budgetOf(stack, 'read', given.rate));
  // Refusals have to reach the limiter: the client repeats nothing by itself.
  const client = stack.bulkClient();
  const progress = showProgress(context.output);
  try {
    const result = await exportTable(
      {
        store: pageStore(client),
        target: store,
        codec: gzipCodec,
        records: request.mask === undefined ? undefined : ledgerRecordsOf(context, stack, target.tableName),
        gates,
        clock: systemClock,
        nowMs: Date.now,
        randomId: () => randomBytes(4).toString('hex'),
        random: Math.random,
        sleep,
        signal: context.signal,
        onEvent: (event) => tell(context, progress, target.tableName, event),
      },
      request,
    );
    progress.stop();
    return report(context, target, given, result, request.shown);
  } finally {
    progress.stop();
    client.destroy();
  }
}

async function requestOf(
  context: Context,
  stack: OpenStack,
  { table, tableName }: ExportTarget,
  given: Portable,
): Promise<ExportRequest & { readonly shown: readonly NumberedRule[] }> {
  const entities = entitiesOf(table, given.entity.flat());
  const mask = given.mask === undefined ? undefined : await readMask(context, given.mask);
  const { segments = defaultSegments, consistent } = given;
  const isWanted = (item: Item): boolean => {
    const entity = entities === undefined ? undefined : entityOf(table, item);
    return entities === undefined || (entity !== undefined && entities.includes(entity.name));
  };
  const shape = (item: Item): Item | undefined => (isWanted(item) ? item : undefined);
  return {
    shown: mask?.ofTable(table).rules ?? [],
    tableName,
    tableArn: tableArnOf(stack, tableName),
    segments,
    consistent,
    options: JSON.stringify({ segments, entities: entities ?? null, mask: mask?.digest ?? null }),
    shape: entities === undefined ? undefined : shape,
    mask: mask === undefined ? undefined : exportMask(mask, table),
    remarks: {
      by: 'tablewright',
      portable: true,
      entities: entities ?? null,
      masked: mask?.ofTable(table).rules.map((rule) => rule.attribute) ?? null,
    },
  };
}

function entitiesOf(table: Table, names: readonly string[]): readonly string[] | undefined {
  if (names.length === 0) return undefined;
  const known = table.entities.map((entity) => entity.name);
  const unknown = names.filter((word) => !known.includes(word));
  if (unknown.length === 0) return [...new Set(names)].toSorted();
  throw new TablewrightError('UNKNOWN_NAME', `${table.name} has no entity ${unknown.join(', ')}`, {
    next: known.length === 0 ? 'The catalogue names no entities of this table.' : `Use one of ${known.join(', ')}.`,
  });
}

function tell(context: Context, progress: Progress, tableName: string, event: ExportEvent): void {
  if (event.kind === 'started') {
    const what = event.resumed ? 'Going on with' : 'Exporting to';
    context.output.note({ event: 'export-started', ...event }, `${what} ${event.place} (${plural(event.segments, 'segment')})`);
  } else if (event.kind === 'progress') {
    const { read, segmentsDone, segments, units, elapsedMs } = event.progress;
    const perSecond = units / Math.max(0.001, elapsedMs / 1_000);
    const remarks = [`${segmentsDone} of ${segments} segments`];
    progress.update({ label: `export ${tableName}`, done: read, units: { kind: 'RCU', perSecond }, remarks });
  }
}

function report(
  context: Context,
  { table, tableName, to }: ExportTarget,
  given: Portable,
  result: ExportResult,
  rules: readonly NumberedRule[],
): number {
  if (result.outcome === 'interrupted') {
    const { portable, segments, entity, mask, consistent, rate } = given;
    const again = showCommand(context, ['export', table.name], {
      to: to.text,
      portable,
      segments,
      entity,
      mask,
      consistent,
      rate,
    });
    context.output.error(
      { error: 'INTERRUPTED', ...result, next: again },
      `Interrupted; ${plural(result.items, 'item')} are in ${result.place}, which is no export yet.\n→ Go on with: ${again}`,
    );
    return exitCodes.interrupted;
  }
  const { items, files, bytes, units, elapsedMs, place } = result;
  context.output.result({ event: 'exported', table: tableName, ...result }, () =>
    [
      `Exported ${plural(items, 'item')} of ${tableName} in ${plural(files, 'file')} (${showBytes(bytes)}), ${showUnits(units)} read units, ${showDuration(elapsedMs / 1_000)}.`,
      ...(result.masked === undefined ? [] : showTally(rules, result.masked)),
      place,
      `→ Import it with: ${showCommand(context, ['import', place], { table: table.name })}`,
    ].join('\n'),
  );
  return 0;
}

export default exportCommand;
