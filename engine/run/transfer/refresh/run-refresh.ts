import type { Item } from '../../../../tables/model/attribute-value.ts';
import { entityOf } from '../../../../tables/model/item.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { type BlobStore, within } from '../../../core/transfer/blob-store.ts';
import type { FileCodec } from '../../../core/transfer/codec.ts';
import { exportsFolder, summaryFile } from '../../../core/transfer/export-layout.ts';
import type { ItemMasker } from '../../../core/transfer/mask/mask-item.ts';
import type { MaskTally } from '../../../core/transfer/mask/mask-tally.ts';
import type { SubjectSample } from '../../../core/transfer/mask/sample.ts';
import type { ExportMask, ExportRequest, ExportResult } from '../export-environment.ts';
import type { ImportResult } from '../import-environment.ts';
import { type OpenExport, openExport } from '../open-export.ts';
import { refuseSameKeys } from '../refuse-same-keys.ts';
import { missingTies, type Staged } from './missing-ties.ts';

/** What a refresh is carried out with. */
export interface RefreshEnvironment {
  /** Where masked exports lie until they are loaded; holds nothing else. */
  readonly staging: BlobStore;
  /** Takes the staging folder away at once: with a part of its files gone it would be a broken one. */
  readonly discard: () => Promise<void>;
  readonly codec: FileCodec;
  /** Exports a table of the source to a place; goes on with what is unfinished there. */
  readonly exportTo: (table: Table, target: BlobStore, change: RefreshExport) => Promise<ExportResult>;
  readonly importFrom: (table: Table, opened: OpenExport) => Promise<ImportResult>;
  readonly maskOf: (table: Table) => ExportMask;
  readonly onEvent?: ((event: RefreshEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type RefreshExport = Pick<ExportRequest, 'shape' | 'mask' | 'options'>;

export type RefreshEvent =
  | {
      readonly kind: 'staged';
      readonly table: string;
      readonly pass: number;
      readonly items: number;
      readonly masked: MaskTally | undefined;
    }
  | { readonly kind: 'loaded'; readonly table: string; readonly pass: number; readonly written: number };

export interface RefreshResult {
  readonly outcome: 'complete' | 'incomplete' | 'interrupted';
  readonly items: number;
  readonly passes: number;
  /** References of the sample to records that the source does not have, by entity. */
  readonly dangling: Readonly<Record<string, number>>;
  /** Items that could not be written. */
  readonly deadLettered: number;
}

const nothingYet = { items: 0, passes: 0, dangling: {}, deadLettered: 0 };

/**
 * Samples, masks and loads. Every part can be killed and goes on: what is complete in the staging folder is not done again, and what is
 * missing is computed from it, so it comes out the same.
 */
export async function runRefresh(
  environment: RefreshEnvironment,
  tables: readonly Table[],
  sample: SubjectSample,
): Promise<RefreshResult> {
  const stages = await stageAll(environment, tables, sample);
  if (stages === undefined) return { outcome: 'interrupted', ...nothingYet };
  const { staged, missing, passes } = stages;
  const items = staged.reduce((sum, { opened }) => sum + opened.summary.itemCount, 0);
  const dangling = Object.fromEntries([...missing].map(([entity, ties]) => [entity, ties.size]));
  for (const table of tables) {
    const files = staged.filter((one) => one.table === table).flatMap(({ opened }) => opened.files);
    await refuseSameKeys(table.name, table.key, files, environment.codec, environment.signal);
  }
  let deadLettered = 0;
  let complete = true;
  for (const { table, opened, pass } of staged) {
    if (opened.summary.itemCount === 0) continue;
    const result = await environment.importFrom(table, opened);
    if (result.outcome === 'interrupted') return { outcome: 'interrupted', items, passes, dangling, deadLettered };
    complete &&= result.outcome === 'complete';
    deadLettered += result.deadLettered;
    environment.onEvent?.({ kind: 'loaded', table: table.name, pass, written: result.written });
  }
  if (complete) await environment.discard();
  return { outcome: complete ? 'complete' : 'incomplete', items, passes, dangling, deadLettered };
}

interface StagedPass extends Staged {
  readonly pass: number;
}

interface Stages {
  readonly staged: readonly StagedPass[];
  readonly missing: ReadonlyMap<string, ReadonlySet<number>>;
  readonly passes: number;
}

/** Passes over the source, until nothing is missing or nothing more is found; undefined when it is to stop. */
async function stageAll(
  environment: RefreshEnvironment,
  tables: readonly Table[],
  sample: SubjectSample,
): Promise<Stages | undefined> {
  const { codec, signal } = environment;
  const staged: StagedPass[] = [];
  let missing: ReadonlyMap<string, ReadonlySet<number>> = new Map();
  for (let pass = 1; ; pass += 1) {
    let found = 0;
    for (const table of tables) {
      const change = pass === 1 ? firstPass(environment, table, sample) : furtherPass(environment, table, sample, missing, pass);
      if (change === undefined) continue;
      const opened = await stage(environment, table, pass, change);
      if (opened === undefined) return undefined;
      staged.push({ table, opened, pass });
      found += opened.summary.itemCount;
    }
    if (pass > 1 && found === 0) return { staged, missing, passes: pass };
    missing = await missingTies(staged, sample, codec, signal);
    if (missing.size === 0) return { staged, missing, passes: pass };
  }
}

/** What is in the sample by itself. */
function firstPass({ maskOf }: RefreshEnvironment, table: Table, sample: SubjectSample): RefreshExport {
  return { shape: (item) => (sample.holds(table, item) ? item : undefined), mask: maskOf(table), options: 'pass 1' };
}

/** Of records that are not, those that something in the sample refers to; compared as they are masked. */
function furtherPass(
  { maskOf }: RefreshEnvironment,
  table: Table,
  sample: SubjectSample,
  missing: ReadonlyMap<string, ReadonlySet<number>>,
  pass: number,
): RefreshExport | undefined {
  const names = new Set(table.entities.map(({ name }) => `${table.name}/${name}`).filter((name) => missing.has(name)));
  if (names.size === 0) return undefined;
  const wanted = new Set([...names].flatMap((name) => [...(missing.get(name) ?? [])]));
  const mask = maskOf(table);
  const filtered = (masker: ItemMasker): ItemMasker => ({
    ...masker,
    apply: (item) => {
      const masked = masker.apply(item);
      return masked !== undefined && sample.ties(table, masked).is.some((tie) => wanted.has(tie)) ? masked : undefined;
    },
  });
  const isCandidate = (item: Item): boolean =>
    names.has(`${table.name}/${entityOf(table, item)?.name ?? ''}`) && !sample.holds(table, item);
  return {
    shape: (item) => (isCandidate(item) ? item : undefined),
    // What a rule is for need not be in what is only referred to.
    mask: { ...mask, masker: () => filtered(mask.masker()), check: () => undefined },
    options: `pass ${pass}`,
  };
}

/** A staged export, made unless it is there already. */
async function stage(
  environment: RefreshEnvironment,
  table: Table,
  pass: number,
  change: RefreshExport,
): Promise<OpenExport | undefined> {
  const { staging, codec, signal, exportTo, onEvent } = environment;
  const target = within(staging, `pass-${pass}/${table.name}`);
  const names = (await target.list(`${exportsFolder}/`, signal)).map(({ name }) => name);
  if (!names.some((name) => name.endsWith(`/${summaryFile}`))) {
    const result = await exportTo(table, target, change);
    if (result.outcome === 'interrupted') return undefined;
    onEvent?.({ kind: 'staged', table: table.name, pass, items: result.items, masked: result.masked });
  }
  return openExport({ source: target, parent: undefined, codec, signal });
}
