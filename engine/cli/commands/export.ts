import { randomBytes } from 'node:crypto';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { entityOf } from '../../../tables/model/item.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { printSchema, tableOfSchema } from '../../../tables/model/transfer/table-schema.ts';
import { pageStore } from '../../aws/transfer/page-store.ts';
import { nameAdvice } from '../../core/show/name-advice.ts';
import { plural, showBytes, showDuration, showUnits } from '../../core/show/numbers.ts';
import { type BlobStore, within } from '../../core/transfer/blob-store.ts';
import { exportsFolder } from '../../core/transfer/export-layout.ts';
import type { NumberedRule } from '../../core/transfer/mask/bind-rules.ts';
import type { ExportEvent } from '../../core/transfer/transfer-event.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { systemClock } from '../../run/capacity/clock.ts';
import { defaultSegments, type ExportRequest, type ExportResult } from '../../run/transfer/export-environment.ts';
import { exportTable } from '../../run/transfer/export-table.ts';
import { openExport } from '../../run/transfer/open-export.ts';
import { csvFolder, writeCsv } from '../../run/transfer/write-csv.ts';
import { budgetOf, rateOf } from '../budget-of.ts';
import type { Action, Context, Given } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { type OpenStack, withStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { showCommand } from '../show/command-line.ts';
import { type Progress, showProgress } from '../show/progress.ts';
import type { ExportPlace, GivenIn } from '../spec/command-spec.ts';
import { describeOrRefuse } from '../transfer/describe-table.ts';
import { exportAll } from '../transfer/export-all.ts';
import { exportNatively } from '../transfer/export-natively.ts';
import { findTable } from '../transfer/find-table.ts';
import { ledgerRecordsOf } from '../transfer/ledger-records-of.ts';
import { openPlace, s3Place } from '../transfer/open-place.ts';
import { exportMask, readMask } from '../transfer/read-mask.ts';
import { itemsOnce, readingState } from '../transfer/show-export.ts';
import { showTally } from '../transfer/show-tally.ts';
import { stackBucket } from '../transfer/stack-bucket.ts';
import { tableArnOf } from '../transfer/table-arn.ts';
import type spec from './export.spec.js';

const exportCommand: Action<typeof spec> = async (context, given) => {
  refuseUnclear(given);
  return withStack(context, {}, async (stack) => {
    if (given.mode === 'all') return exportAll(context, stack, given, exporting);
    const { table, tableName } =
      given.mode === 'named' ? await namedTable(context, stack, given.tableName[0] ?? '') : findTable(stack, given.table ?? '');
    const to = given.to ?? s3Place(await stackBucket(stack, '--to'), `exports/${tableName}/`);
    const target = { table, tableName, to };
    if (given.mode === 'native' || given.mode === 'incremental') return exportNatively(context, stack, target, given);
    const { store } = await openPlace(context, stack, to);
    const result = await exporting(context, stack, target, store, given);
    const csv = given.csv && result.outcome === 'complete' ? await csvBeside(context, target.table, store, result.id) : [];
    const rules = (await maskOf(context, given))?.ofTable(table).rules ?? [];
    return report(context, target, given, result, { csv, rules });
  });
};

type Portable = GivenIn<typeof spec, 'portable' | 'named' | 'all'>;

export interface ExportTarget {
  readonly table: Table;
  readonly tableName: string;
}

/** Which table is meant has to be said once. */
function refuseUnclear(given: Given<typeof spec>): void {
  const { mode, table } = given;
  const named = 'tableName' in given ? given.tableName : [];
  const wants = mode !== 'named' && mode !== 'all';
  if (wants ? table !== undefined : table === undefined && (mode === 'all' || named.length === 1)) return;
  const found =
    table === undefined
      ? wants
        ? 'none'
        : `${named.length}`
      : `${table}${mode === 'all' ? ' beside --all' : ' beside --table-name'}`;
  throw new TablewrightError('BAD_ARGUMENT', `export: expected one table, found ${found}`, {
    next: 'Name a table of the catalogue, or give --table-name NAME for another one, or --all.',
  });
}

/** A table that no catalogue has, as DynamoDB describes it. */
async function namedTable(context: Context, stack: OpenStack, tableName: string): Promise<ExportTarget> {
  const known = stack.tables.find((one) => physicalName(one, stack.config) === tableName);
  if (known !== undefined) return { table: known, tableName };
  return { table: tableOfSchema(await describeOrRefuse(context, stack, tableName)), tableName };
}

/** Reads one table into a place. */
async function exporting(
  context: Context,
  stack: OpenStack,
  target: ExportTarget,
  store: BlobStore,
  given: Portable,
): Promise<ExportResult> {
  const request = await requestOf(context, stack, target, given);
  const gates = new CapacityGates(budgetOf(stack, 'read', given.rate));
  // Refusals have to reach the limiter: the client repeats nothing by itself.
  const client = stack.bulkClient();
  const progress = showProgress(context.output);
  const items = await itemsOnce(stack, target.tableName, context.signal);
  const whole = { items, budget: rateOf(stack, 'read', given.rate) };
  try {
    return await exportTable(
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
        onEvent: (event) => tell(context, progress, { tableName: target.tableName, ...whole }, event),
      },
      request,
    );
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
): Promise<ExportRequest> {
  const entities = entitiesOf(table, 'entity' in given ? given.entity.flat() : []);
  const mask = await maskOf(context, given);
  const { segments = defaultSegments, consistent } = given;
  const isWanted = (item: Item): boolean => {
    const entity = entities === undefined ? undefined : entityOf(table, item);
    return entities === undefined || (entity !== undefined && entities.includes(entity.name));
  };
  const shape = (item: Item): Item | undefined => (isWanted(item) ? item : undefined);
  return {
    tableName,
    tableArn: tableArnOf(stack, tableName),
    segments,
    consistent,
    options: JSON.stringify({ segments, entities: entities ?? null, mask: mask?.digest ?? null }),
    shape: entities === undefined ? undefined : shape,
    schema: printSchema(await describeOrRefuse(context, stack, tableName)),
    mask: mask === undefined ? undefined : exportMask(mask, table),
    remarks: {
      by: 'tablewright',
      portable: true,
      entities: entities ?? null,
      masked: mask?.ofTable(table).rules.map((rule) => rule.attribute) ?? null,
    },
  };
}

async function maskOf(context: Context, given: Portable) {
  const file = 'mask' in given ? given.mask : undefined;
  return file === undefined ? undefined : readMask(context, file);
}

async function csvBeside({ signal }: Context, table: Table, store: BlobStore, id: string): Promise<readonly string[]> {
  const source = within(store, `${exportsFolder}/${id}`);
  const opened = await openExport({ source, parent: undefined, codec: gzipCodec, signal });
  return writeCsv(opened, table, gzipCodec, signal);
}

function entitiesOf(table: Table, names: readonly string[]): readonly string[] | undefined {
  if (names.length === 0) return undefined;
  const known = table.entities.map((entity) => entity.name);
  const unknown = names.filter((word) => !known.includes(word));
  if (unknown.length === 0) return [...new Set(names)].toSorted();
  throw new TablewrightError('UNKNOWN_NAME', `${table.name} has no entity ${unknown.join(', ')}`, {
    next: known.length === 0 ? 'The catalogue names no entities of this table.' : nameAdvice(unknown, known),
  });
}

interface Told {
  readonly tableName: string;
  readonly items: number | undefined;
  readonly budget: number;
}

function tell(context: Context, progress: Progress, told: Told, event: ExportEvent): void {
  if (event.kind === 'started') {
    const what = event.resumed ? 'Going on with' : 'Exporting to';
    const { kind: _, ...started } = event;
    context.output.note({ event: 'export-started', ...started }, `${what} ${event.place} (${plural(event.segments, 'segment')})`);
  } else if (event.kind === 'progress') {
    progress.update(readingState(`export ${told.tableName}`, event.progress, told));
  }
}

function report(
  context: Context,
  { table, tableName, to }: ExportTarget & { readonly to: ExportPlace },
  given: GivenIn<typeof spec, 'portable' | 'named'>,
  result: ExportResult,
  { csv, rules }: { readonly csv: readonly string[]; readonly rules: readonly NumberedRule[] },
): number {
  if (result.outcome === 'interrupted') {
    const { portable, segments, consistent, rate } = given;
    const only = given.mode === 'named' ? { tableName } : { entity: given.entity, mask: given.mask };
    const again = showCommand(context, ['export', ...(given.mode === 'named' ? [] : [table.name])], {
      to: to.text,
      portable,
      segments,
      ...only,
      csv: given.csv,
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
      ...(csv.length === 0 ? [] : [`${plural(csv.length, 'CSV file')} in ${place}/${csvFolder}`]),
      `→ Import it with: ${showCommand(context, ['import', place], given.mode === 'named' ? { tableName } : { table: table.name })}`,
    ].join('\n'),
  );
  return 0;
}

export default exportCommand;
