import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { SetMember } from '../../../tables/model/transfer/export-set.ts';
import { tableOfSchema } from '../../../tables/model/transfer/table-schema.ts';
import { plural, showNumber } from '../../core/show/numbers.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import type { ExportResult } from '../../run/transfer/export-environment.ts';
import { exportSet } from '../../run/transfer/export-set.ts';
import type spec from '../commands/export.spec.js';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import type { OpenStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import type { GivenIn } from '../spec/command-spec.ts';
import { describeOrRefuse } from './describe-table.ts';
import { openPlace, s3Place } from './open-place.ts';
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
  const to = given.to ?? s3Place(await stackBucket(stack, '--to'), `exports/${stack.config.stack}/`);
  const { store } = await openPlace(context, stack, to);
  const own = new Map<string, Table>();
  for (const table of stack.tables) if (table.name !== ledger.name) own.set(physicalName(table, stack.config), table);
  const strangers = new Map<string, Table>();
  for (const name of new Set(given.tableName)) {
    if (!own.has(name)) strangers.set(name, tableOfSchema(await describeOrRefuse(context, stack, name)));
  }
  const members: readonly SetMember[] = [
    ...[...own].map(([tableName, { name }]) => ({ table: name, tableName })),
    ...[...strangers.keys()].map((tableName) => ({ table: null, tableName })),
  ];
  const { segments, consistent, mask } = given;
  const result = await exportSet(
    {
      target: store,
      nowMs: Date.now,
      signal: context.signal,
      exportOne: (member, target) => {
        const table = own.get(member.tableName) ?? (strangers.get(member.tableName) as Table);
        return exportOne(context, stack, { table, tableName: member.tableName }, target, given);
      },
      onTable: ({ tableName }, items, already) => {
        const text = `${tableName}: ${plural(items, 'item')}${already ? ', exported before' : ''}`;
        context.output.note({ event: 'table-exported', table: tableName, items, already }, text);
      },
    },
    members,
    JSON.stringify({ segments: segments ?? null, consistent, mask: mask ?? null }),
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

function interrupted(context: Context, given: All, to: string, done: number, of: number): number {
  const { tableName, mask, segments, consistent, rate } = given;
  const next = showCommand(context, ['export'], { all: true, to, tableName, mask, segments, consistent, rate });
  const text = `Interrupted; ${showNumber(done)} of ${plural(of, 'table')} are exported.\n→ Go on with: ${next}`;
  context.output.error({ error: 'INTERRUPTED', done, of, next }, text);
  return exitCodes.interrupted;
}
