import { TablewrightError } from '../../../tables/model/error.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { SetMember } from '../../../tables/model/transfer/export-set.ts';
import { tableOfSchema } from '../../../tables/model/transfer/table-schema.ts';
import { plural, showNumber } from '../../core/show/numbers.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import type { ExportResult } from '../../run/transfer/export-environment.ts';
import { type EndedTable, exportSet } from '../../run/transfer/export-set.ts';
import type spec from '../commands/export.spec.js';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import type { OpenStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import type { GivenIn } from '../spec/command-spec.ts';
import { describeOrRefuse } from './describe-table.ts';
import { openPlace, s3Place } from './open-place.ts';
import { type Mask, readMask } from './read-mask.ts';
import { showTally } from './show-tally.ts';
import { stackBucket } from './stack-bucket.ts';

type All = GivenIn<typeof spec, 'all'>;

/** Reads one table into a place. */
type ExportOne = (
  context: Context,
  stack: OpenStack,
  target: { readonly table: Table; readonly tableName: string },
  store: BlobStore,
  given: All,
) => Promise<ExportResult>;

/** Every table of the stack and those that were named beside it, as one set. The ledger stays: it tells of this stack alone. */
export async function exportAll(context: Context, stack: OpenStack, given: All, exportOne: ExportOne): Promise<number> {
  const mask = given.mask === undefined ? undefined : await readMask(context, given.mask);
  const tables = await tablesOf(context, stack, given, mask !== undefined);
  const to = given.to ?? s3Place(await stackBucket(stack, '--to'), `exports/${stack.config.stack}/`);
  const { store } = await openPlace(context, stack, to);
  const members = tables.map(({ name, tableName }): SetMember => ({ table: name, tableName }));
  const { segments, consistent } = given;
  const result = await exportSet(
    {
      target: store,
      nowMs: Date.now,
      signal: context.signal,
      exportOne: (member, target) => {
        const found = tables.find(({ tableName }) => tableName === member.tableName) as Member;
        return exportOne(context, stack, found, target, given);
      },
      onAbandoned: ({ startedAt }) => tellAbandoned(context, to.text, startedAt),
      onTable: ({ tableName }, ended) => tell(context, mask, tables.find((one) => one.tableName === tableName) as Member, ended),
    },
    members,
    // Tables that are complete are taken as they are, so they have to be masked by the same rules and key.
    JSON.stringify({ segments: segments ?? null, consistent, mask: mask?.digest ?? null }),
  );
  if (result.outcome === 'interrupted') return interrupted(context, given, to.text, result.done, members.length);
  const items = result.set.tables.reduce((sum, table) => sum + table.items, 0);
  context.output.result({ event: 'exported-all', place: result.place, tables: result.set.tables }, () =>
    [
      `Exported ${plural(result.set.tables.length, 'table')} with ${plural(items, 'item')}.`,
      result.place,
      `→ Import them with: ${showCommand(context, ['import', to.text], { all: true })}`,
    ].join('\n'),
  );
  return 0;
}

interface Member {
  readonly table: Table;
  /** The physical name. */
  readonly tableName: string;
  /** In the catalogue; null where no catalogue has it. */
  readonly name: string | null;
}

async function tablesOf(context: Context, stack: OpenStack, given: All, masked: boolean): Promise<readonly Member[]> {
  const own = stack.tables
    .filter(({ name }) => name !== ledger.name)
    .map((table): Member => ({ table, tableName: physicalName(table, stack.config), name: table.name }));
  const others = [...new Set(given.tableName)].filter((name) => !own.some(({ tableName }) => tableName === name));
  if (masked && others.length > 0) throw unmaskable(others);
  const strangers: Member[] = [];
  for (const tableName of others) {
    strangers.push({ table: tableOfSchema(await describeOrRefuse(context, stack, tableName)), tableName, name: null });
  }
  return [...own, ...strangers];
}

function unmaskable(names: readonly string[]): TablewrightError {
  return new TablewrightError(
    'BAD_ARGUMENT',
    'export: no catalogue has these tables, so no rule tells what is personal in them',
    {
      problems: names.map((name) => `--table-name ${name}`),
      next: 'Leave them out of the masked export, or describe them in the catalogue (tablewright table from-aws). Nothing was read.',
    },
  );
}

/** It may be masked by rules that were found wanting. */
function tellAbandoned({ output }: Context, place: string, startedAt: string): void {
  output.note(
    { event: 'set-abandoned', place, startedAt },
    `${place} has exports of an unfinished set that began at ${startedAt} with other tables, options or rules. They are no part of this one: remove what should not stay.`,
  );
}

function tell({ output }: Context, mask: Mask | undefined, { table, tableName }: Member, ended: EndedTable): void {
  const { items, already, masked } = ended;
  const rules = mask === undefined || masked === undefined ? [] : showTally(mask.ofTable(table).rules, masked);
  const text = `${tableName}: ${plural(items, 'item')}${already ? ', exported before' : ''}`;
  output.note({ event: 'table-exported', table: tableName, items, already, masked }, [text, ...rules].join('\n'));
}

function interrupted(context: Context, given: All, to: string, done: number, of: number): number {
  const { tableName, mask, segments, consistent, rate } = given;
  const next = showCommand(context, ['export'], { all: true, to, tableName, mask, segments, consistent, rate });
  const text = `Interrupted; ${showNumber(done)} of ${plural(of, 'table')} are exported.\n→ Go on with: ${next}`;
  context.output.error({ error: 'INTERRUPTED', done, of, next }, text);
  return exitCodes.interrupted;
}
