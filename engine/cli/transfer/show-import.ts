import { slowText } from '../../core/capacity/slow-text.ts';
import { plural, showDuration, showNumber } from '../../core/show/numbers.ts';
import type { ImportEvent } from '../../core/transfer/transfer-event.ts';
import type { WriteProgress } from '../../core/write/write-event.ts';
import type { ImportResult } from '../../run/transfer/import-environment.ts';
import type spec from '../commands/import.spec.js';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { showCommand } from '../show/command-line.ts';
import type { Progress } from '../show/progress.ts';
import type { ProgressState } from '../show/progress-text.ts';
import type { GivenIn } from '../spec/command-spec.ts';

/** So many items that could not be written are shown; all are in the dead letters. */
const shownRejected = 20;

interface Told {
  readonly progress: Progress;
  readonly rejected: string[];
  readonly tableName: string;
  readonly items: number;
  /** CSV files have none. */
  readonly hasManifest: boolean;
}

export function tellImport(
  context: Context,
  { progress, rejected, tableName, items, hasManifest }: Told,
  event: ImportEvent,
): void {
  if (event.kind === 'checked') {
    const against = hasManifest ? ' against the manifest' : '';
    const text = `Checked ${plural(event.files, 'file')} with ${plural(event.items, 'item')}${against}.`;
    context.output.note({ event: 'import-checked', files: event.files, items: event.items, bytes: event.bytes }, text);
  } else if (event.kind === 'resumed') {
    context.output.note(
      { event: 'import-resumed', lines: event.lines },
      `Going on behind ${plural(event.lines, 'line')} that are done.`,
    );
  } else if (event.kind === 'rejected') {
    if (rejected.length < shownRejected) rejected.push(`${event.place}: ${event.problem}`);
  } else showImporting(progress, tableName, items, event);
}

/** How far an import has got. */
export function showImporting(progress: Progress, tableName: string, items: number, event: ImportEvent): void {
  if (event.kind === 'progress') {
    progress.update(writingState(`import ${tableName}`, event.progress, items));
  } else if (event.kind === 'verifying') {
    progress.update({ label: `verify ${tableName}`, done: event.compared, total: event.of });
  }
}

/** How far writing an export into one table has got. */
function writingState(label: string, { written, tables: [state] }: WriteProgress, total: number): ProgressState {
  const { slow: why, refused = 0, consumedPerSecond = 0, budget = Number.POSITIVE_INFINITY } = state ?? {};
  const slow = why === undefined || why.kind === 'learning' ? undefined : { kind: why.kind, text: slowText(why) };
  return { label, done: written, total, units: { kind: 'WCU', perSecond: consumedPerSecond, budget }, throttles: refused, slow };
}

type Written = GivenIn<typeof spec, 'write' | 'named' | 'all'>;

interface Reported {
  readonly tableName: string;
  readonly letters: string;
  readonly rejected: readonly string[];
}

export function reportImport(
  context: Context,
  { tableName, letters, rejected }: Reported,
  given: Written,
  result: ImportResult,
): number {
  const { tables: _, ...shown } = result;
  if (result.outcome === 'interrupted') return interruptedImport(context, given, shown);
  context.output.result(
    { event: 'imported', table: tableName, ...shown, rejected, deadLetters: result.deadLettered > 0 ? letters : null },
    () => describe(tableName, letters, rejected, result).join('\n'),
  );
  return result.outcome === 'complete' ? 0 : 1;
}

export function interruptedImport(context: Context, given: Written, shown: Partial<ImportResult>): number {
  const { source, ifNewer, skipExisting, verify, rate, deadLetters } = given;
  const next = showCommand(context, ['import', source.text], {
    ...targetOf(given),
    ifNewer,
    skipExisting,
    ...('transform' in given ? { transform: given.transform, csv: given.csv, delimiter: given.delimiter } : {}),
    header: 'header' in given ? given.header?.join(',') : undefined,
    verify: verify === 'sample' ? undefined : verify,
    rate,
    deadLetters,
  });
  const { lines, items } = shown;
  const where = lines === undefined ? '' : ` behind line ${showNumber(lines)} of ${showNumber(items ?? 0)}`;
  context.output.error({ error: 'INTERRUPTED', ...shown, next }, `Interrupted${where}.\n→ Go on with: ${next}`);
  return exitCodes.interrupted;
}

function targetOf(given: Written) {
  if (given.mode === 'all') return { all: true };
  return given.mode === 'named' ? { tableName: given.tableName } : { table: given.table };
}

function describe(tableName: string, letters: string, rejected: readonly string[], result: ImportResult): readonly string[] {
  const { written, skipped, deadLettered, elapsedMs, already, verified, items } = result;
  const head = already
    ? `This export was imported into ${tableName} before (${plural(items, 'item')}); --again writes it once more.`
    : `Imported into ${tableName}: ${plural(written, 'request')} written${skipped > 0 ? `, ${showNumber(skipped)} kept as they were` : ''}, ${showDuration(elapsedMs / 1_000)}.`;
  const dead =
    deadLettered > 0
      ? [
          `${plural(deadLettered, 'item')} could not be written; they are in ${letters}`,
          ...rejected.map((one) => `  - ${one}`),
          '→ Correct what each line names, then import again with --again.',
        ]
      : [];
  if (verified === undefined) return [head, ...dead];
  const compared = `Verified (${verified.depth}): ${plural(verified.compared, 'item')} compared, ${verified.differing === 0 ? 'no difference' : plural(verified.differing, 'difference')}.`;
  const advice = '→ If nothing else writes to the table, run the import with --again; else look at the keys above.';
  return [
    head,
    ...dead,
    compared,
    ...verified.differences.map((one) => `  - ${one}`),
    ...(verified.differing > 0 ? [advice] : []),
  ];
}
