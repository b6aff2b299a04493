import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { type ExportSet, parseSet, setFile, setPlanFile } from '../../../tables/model/transfer/export-set.ts';
import { plural } from '../../core/show/numbers.ts';
import { readText, within } from '../../core/transfer/blob-store.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import { gzipCodec } from '../../local/gzip-codec.ts';
import { badExport, type OpenExport, openExport } from '../../run/transfer/open-export.ts';
import { readSchema } from '../../run/transfer/read-schema.ts';
import type spec from '../commands/import.spec.js';
import { confirmProduction } from '../confirm-production.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { localStack } from '../local-stack.ts';
import type { OpenStack } from '../open-stack.ts';
import type { GivenIn } from '../spec/command-spec.ts';
import { ensureNamed } from './ensure-named.ts';
import { openPlace } from './open-place.ts';

type All = GivenIn<typeof spec, 'all'>;

export interface ImportTarget {
  readonly table: Table;
  /** The physical name. */
  readonly tableName: string;
  readonly opened: OpenExport;
  /** How its files are read, where they are not gzip. */
  readonly codec?: FileCodec;
}

/** Writes one export into one table. */
type ImportOne = (context: Context, stack: OpenStack, target: ImportTarget, given: All) => Promise<number>;

interface Planned {
  readonly member: ExportSet['tables'][number];
  readonly opened: OpenExport;
  readonly tableName: string;
  /** Undefined where no catalogue has it. */
  readonly table: Table | undefined;
}

/**
 * Every table of a set, one after the other. All of them are opened and found first; each has its own checkpoint in the ledger,
 * so a run that was killed goes on at the table and the line where it was.
 */
export async function importAll(context: Context, stack: OpenStack, given: All, importOne: ImportOne): Promise<number> {
  const planned = await plan(context, stack, given);
  await confirmProduction(context, stack.config, given.yes, `import into ${plural(planned.length, 'table')}`);
  let worst = 0;
  for (const { table, tableName, opened } of planned) {
    const target = { table: table ?? (await ensureNamed(context, stack, tableName, opened)), tableName, opened };
    const code = await importOne(context, stack, target, given);
    if (code === exitCodes.interrupted) return code;
    worst = Math.max(worst, code);
  }
  context.output.result(
    { event: 'imported-all', tables: planned.map(({ tableName }) => tableName), complete: worst === 0 },
    () => (worst === 0 ? `Imported ${plural(planned.length, 'table')}.` : 'Not all of it could be imported; see above.'),
  );
  return worst;
}

async function plan(context: Context, stack: OpenStack, { source }: All): Promise<readonly Planned[]> {
  const { signal } = context;
  const { store } = await openPlace(context, stack, source);
  const text = await readText(store, setFile, signal);
  if (text === undefined) throw await noSet(store.place, (await readText(store, setPlanFile, signal)) !== undefined);
  const set = parseSet(text);
  if ('problems' in set) throw badExport(store.place, set.problems);
  const planned: Planned[] = [];
  for (const member of set.tables) {
    const folder = within(store, member.folder);
    const parent = within(store, member.folder.replace(/\/[^/]+$/, ''));
    const opened = await openExport({ source: folder, parent, codec: gzipCodec, signal });
    const table = stack.tables.find((one) => one.name === member.table);
    planned.push({
      member,
      opened,
      table,
      tableName: table === undefined ? member.tableName : physicalName(table, stack.config),
    });
  }
  await refuseMissing(stack, planned, signal);
  return planned;
}

/** What the catalogue has is made by the deployment; what it has not, by the export's schema. */
async function refuseMissing(stack: OpenStack, planned: readonly Planned[], signal: AbortSignal): Promise<void> {
  const problems: string[] = [];
  for (const { table, tableName, opened, member } of planned) {
    if ((await stack.store.describeTable(tableName, signal)) !== undefined) continue;
    if (table !== undefined) problems.push(`${tableName}: missing; the catalogue has it, and the deployment makes it`);
    else if (member.table !== null) problems.push(`${member.table}: the catalogue of this stack has no such table`);
    else if ((await readSchema(opened, signal)) === undefined)
      problems.push(`${tableName}: missing, and its export does not say how to make it`);
  }
  if (problems.length === 0) return;
  const make = stack.name === localStack ? 'tablewright up' : `npx pulumi up -s ${stack.name}`;
  throw new TablewrightError('PREFLIGHT_FAILED', `${plural(problems.length, 'table')} of the export cannot be imported into`, {
    problems,
    next: `Nothing was written. Run '${make}' for tables of the catalogue, then the command again.`,
  });
}

async function noSet(place: string, begun: boolean): Promise<TablewrightError> {
  const found = begun ? 'the export by --all is unfinished' : `no export by --all: expected ${setFile}`;
  return new TablewrightError('BAD_EXPORT', `${place}: ${found}`, {
    next: begun
      ? 'Run the same export command again; it goes on where it was.'
      : "Name the place that 'tablewright export --all' printed.",
  });
}
