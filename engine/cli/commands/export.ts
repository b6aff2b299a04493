import { randomBytes } from 'node:crypto';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { entityOf } from '../../../tables/model/item.ts';
import type { Table } from '../../../tables/model/table.ts';
import { pageStore } from '../../aws/transfer/page-store.ts';
import type { ExportEvent } from '../../core/transfer/transfer-event.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import { defaultSegments, type ExportRequest, type ExportResult, maxSegments } from '../../run/transfer/export-environment.ts';
import { exportTable } from '../../run/transfer/export-table.ts';
import type { CommandFunction, CommandOptions, Context } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { type Progress, showProgress } from '../progress.ts';
import { sleep } from '../read-environment.ts';
import { localStack } from '../read-stack.ts';
import { interruptedExitCode } from '../run-command.ts';
import { budgetOf } from '../transfer/budget-of.ts';
import { exportNatively } from '../transfer/export-natively.ts';
import { findTable } from '../transfer/find-table.ts';
import { openPlace } from '../transfer/open-place.ts';
import { readMask } from '../transfer/read-mask.ts';
import { showBytes, showCommand, showCount, showSeconds } from '../transfer/show.ts';
import { stackBucket } from '../transfer/stack-bucket.ts';
import { tableArnOf } from '../transfer/table-arn.ts';

const exportCommand: CommandFunction = (context, [name], options) =>
  withStack(context, {}, async (stack) => {
    const { table, tableName } = findTable(stack, String(name));
    const to = (options.to as string | undefined) ?? `s3://${await stackBucket(stack, '--to')}/exports/${tableName}/`;
    if (isNative(stack, options)) return exportNatively(context, stack, { table, tableName, to }, options);
    return exportPortably(context, stack, { table, tableName, to }, options);
  });

/** On AWS the service's own export is the usual one; it knows neither filters nor masks. */
function isNative(stack: OpenStack, options: CommandOptions): boolean {
  const shaped = options.entity !== undefined || options.mask !== undefined;
  if (options.native === true && (options.portable === true || shaped)) {
    throw new TablewrightError('BAD_ARGUMENT', '--native cannot be given with --portable, --entity or --mask', {
      next: "DynamoDB's own export has the whole table as it is; leave --native out to filter or mask.",
    });
  }
  if (options.native === true) return true;
  return stack.name !== localStack && stack.endpoint === undefined && options.portable !== true && !shaped;
}

export interface ExportTarget {
  readonly table: Table;
  readonly tableName: string;
  readonly to: string;
}

async function exportPortably(
  context: Context,
  stack: OpenStack,
  target: ExportTarget,
  options: CommandOptions,
): Promise<number> {
  const request = await requestOf(context, stack, target, options);
  const { store } = await openPlace(context, stack, target.to);
  const gates = new CapacityGates(budgetOf(stack, 'read', options.rate as number | undefined));
  // Refusals have to reach the limiter: the client repeats nothing by itself.
  const client = stack.bulkClient();
  const progress = showProgress(context.output);
  try {
    const result = await exportTable(
      {
        store: pageStore(client),
        target: store,
        codec: gzipCodec,
        gate: gates.of(target.tableName),
        clock: systemClock,
        epochMs: Date.now,
        randomId: () => randomBytes(4).toString('hex'),
        random: Math.random,
        sleep,
        signal: context.signal,
        onEvent: (event) => tell(context, progress, target.tableName, event),
      },
      request,
    );
    progress.stop();
    return report(context, stack, target, options, result);
  } finally {
    progress.stop();
    client.destroy();
  }
}

async function requestOf(
  context: Context,
  stack: OpenStack,
  { table, tableName }: ExportTarget,
  options: CommandOptions,
): Promise<ExportRequest> {
  const entities = entitiesOf(table, options.entity as readonly string[] | undefined);
  const mask = options.mask === undefined ? undefined : await readMask(context, table, String(options.mask));
  const segments = Math.min(maxSegments, (options.segments as number | undefined) ?? defaultSegments);
  const isWanted = (item: Item): boolean => {
    const entity = entities === undefined ? undefined : entityOf(table, item);
    return entities === undefined || (entity !== undefined && entities.includes(entity.name));
  };
  const shape = (item: Item): Item | undefined => (isWanted(item) ? (mask?.apply(item) ?? item) : undefined);
  return {
    tableName,
    tableArn: tableArnOf(stack, tableName),
    segments,
    consistent: options.consistent === true,
    options: JSON.stringify({ segments, entities: entities ?? null, mask: mask?.digest ?? null }),
    shape: entities === undefined && mask === undefined ? undefined : shape,
    remarks: { by: 'tablewright', portable: true, entities: entities ?? null, masked: mask?.attributes ?? null },
  };
}

function entitiesOf(table: Table, wanted: readonly string[] | undefined): readonly string[] | undefined {
  if (wanted === undefined) return undefined;
  const known = table.entities.map((entity) => entity.name);
  const names = wanted.flatMap((word) => word.split(',')).filter((word) => word !== '');
  const unknown = names.filter((word) => !known.includes(word));
  if (unknown.length === 0) return [...new Set(names)].toSorted();
  throw new TablewrightError('UNKNOWN_NAME', `${table.name} has no entity ${unknown.join(', ')}`, {
    next: known.length === 0 ? 'The catalogue names no entities of this table.' : `Use one of ${known.join(', ')}.`,
  });
}

function tell(context: Context, progress: Progress, tableName: string, event: ExportEvent): void {
  if (event.kind === 'started') {
    const what = event.resumed ? 'Going on with' : 'Exporting to';
    context.output.note(
      { event: 'export-started', ...event },
      `${what} ${event.place} (${showCount(event.segments, 'segment')})`,
    );
  } else if (event.kind === 'progress') {
    const { read, segmentsDone, segments, units, elapsedMs } = event.progress;
    const perSecond = units / Math.max(0.001, elapsedMs / 1_000);
    const remark = `${segmentsDone} of ${segments} segments`;
    progress.update({ label: `export ${tableName}`, done: read, units: { kind: 'RCU', perSecond }, remark });
  }
}

function report(
  context: Context,
  stack: OpenStack,
  { table, tableName, to }: ExportTarget,
  options: CommandOptions,
  result: ExportResult,
): number {
  if (result.outcome === 'aborted') {
    const { segments, entity, mask, consistent, rate } = options;
    const again = showCommand(['export', table.name], { to, segments, entity, mask, consistent, rate }, stack.name);
    context.output.error(
      { error: 'INTERRUPTED', ...result, next: again },
      `Interrupted; ${showCount(result.items, 'item')} are in ${result.place}, which is no export yet.\n→ Go on with: ${again}`,
    );
    return interruptedExitCode;
  }
  const { items, files, bytes, units, elapsedMs, place } = result;
  context.output.result({ event: 'exported', table: tableName, ...result }, () =>
    [
      `Exported ${showCount(items, 'item')} of ${tableName} in ${showCount(files, 'file')} (${showBytes(bytes)}), ${units.toFixed(1)} read units, ${showSeconds(elapsedMs)}.`,
      place,
      `→ Import it with: ${showCommand(['import', place], { table: table.name }, stack.name)}`,
    ].join('\n'),
  );
  return 0;
}

export default exportCommand;
