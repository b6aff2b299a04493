import { slowText } from '../../core/capacity/slow-text.ts';
import type { SeedEvent, VerdictCounts } from '../../core/seed/seed-event.ts';
import { plural, showDuration, showNumber } from '../../core/show/numbers.ts';
import type { SetReport } from '../../run/seed/load-set.ts';
import type { VolumeReport } from '../../run/seed/load-volume.ts';
import type { Output } from '../output.ts';
import { type Progress, showProgress } from '../show/progress.ts';
import type { ProgressState } from '../show/progress-text.ts';

/** Rows kept that are named one by one; the rest are only counted. */
export const maxKeptShown = 20;

/** Turns what loading tells into progress: one display a set. */
export function seedProgress(output: Output): { readonly emit: (event: SeedEvent) => void; readonly stop: () => void } {
  let shown: { readonly label: string; readonly progress: Progress } | undefined;
  let offset = 0;
  const stop = () => {
    shown?.progress.stop();
    shown = undefined;
  };
  return {
    stop,
    emit(event) {
      if (event.kind === 'volume-started') offset = event.from;
      if (event.kind === 'set-started') offset = 0;
      if (event.kind !== 'progress') return;
      const label = event.phase === 'prune' ? `${event.set} (deleting)` : event.set;
      if (shown?.label !== label) {
        stop();
        shown = { label, progress: showProgress(output) };
      }
      shown.progress.update(stateOf(event, label, event.phase === 'prune' ? 0 : offset));
    },
  };
}

function stateOf({ total, progress }: Extract<SeedEvent, { kind: 'progress' }>, label: string, offset: number): ProgressState {
  const busy = progress.tables.filter((table) => table.consumedPerSecond > 0);
  const slow = progress.tables.find((table) => table.slow !== undefined && table.slow.kind !== 'learning');
  const sum = (pick: (table: (typeof busy)[number]) => number) => busy.reduce((all, table) => all + pick(table), 0);
  return {
    label,
    done: offset + progress.written,
    before: offset,
    total: offset + total,
    units: { kind: 'WCU', perSecond: sum((table) => table.consumedPerSecond), budget: sum((table) => table.budget) },
    slow: slow?.slow === undefined ? undefined : { kind: slow.slow.kind, text: `${slow.table}: ${slowText(slow.slow)}` },
    throttles: progress.tables.reduce((all, table) => all + table.refused, 0),
    remarks: progress.deadLettered === 0 ? [] : [plural(progress.deadLettered, 'dead letter')],
  };
}

const verdictWords: readonly (readonly [keyof VerdictCounts, string])[] = [
  ['created', 'created'],
  ['updated', 'updated'],
  ['adopted', 'found as wanted'],
  ['unchanged', 'unchanged'],
  ['pruned', 'pruned'],
  ['edited', 'edited since, kept'],
  ['migrated', 'changed by a migration and in the files, kept'],
  ['foreign', 'not this set’s, kept'],
  ['leftover', 'no longer in the files'],
  ['leftover-edited', 'no longer in the files but edited, kept'],
];

export function setLines(report: SetReport): readonly string[] {
  const counted = verdictWords.flatMap(([verdict, words]) => {
    const amount = report.counts[verdict] ?? 0;
    return amount === 0 ? [] : [`${showNumber(amount)} ${words}`];
  });
  const open = report.notWritten === 0 ? [] : [`${showNumber(report.notWritten)} not written`];
  const head = `${report.set.padEnd(18)}${[...counted, ...open].join(', ') || 'no rows'}${report.outcome === 'planned' ? ' (dry run: nothing written)' : ''}`;
  const kept = report.kept
    .slice(0, maxKeptShown)
    .map(({ table, key, verdict }) => `  ${table}  ${key}: ${reasons[verdict] ?? verdict}`);
  const more = report.kept.length - kept.length;
  return [head, ...kept, ...(more > 0 ? [`  and ${showNumber(more)} more`] : [])];
}

const reasons: Readonly<Partial<Record<SetReport['kept'][number]['verdict'], string>>> = {
  edited: 'edited since it was seeded; --overwrite writes it again',
  migrated: 'a migration changed it since, and so did its file; --overwrite writes it as the file says',
  foreign: 'there before and different; --overwrite replaces it',
  leftover: 'left the files; --prune deletes it',
  'leftover-edited': 'left the files but was edited; --prune --overwrite deletes it',
};

export function volumeLines(report: VolumeReport): readonly string[] {
  const { set, outcome, count: wanted, from, written, pruned, leftBehind, units, elapsedMs } = report;
  const name = set.padEnd(18);
  const left = leftBehind === 0 ? [] : [`  ${showNumber(leftBehind)} rows of another volume stay; --prune deletes them`];
  if (outcome === 'planned')
    return [`${name}${showNumber(wanted - from)} of ${showNumber(wanted)} rows to write (dry run: nothing written)`, ...left];
  if (written === 0 && pruned === 0 && outcome === 'complete')
    return [`${name}all ${showNumber(wanted)} rows are there already`, ...left];
  const seconds = elapsedMs / 1_000;
  const rate = seconds > 0 ? `, ${showNumber(written / seconds)} rows/s, ${showNumber(units / seconds)} WCU/s` : '';
  const before = from === 0 ? '' : ` after the ${showNumber(from)} that were there`;
  const deleted = pruned === 0 ? '' : `, ${showNumber(pruned)} of an earlier volume deleted`;
  return [`${name}${showNumber(written)} rows written${before}${deleted} in ${showDuration(seconds)}${rate}`, ...left];
}
