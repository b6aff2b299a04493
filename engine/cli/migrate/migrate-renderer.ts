import type { Pass } from '../../../tables/model/ledger/migration-records.ts';
import { slownessOf } from '../../core/capacity/slow-text.ts';
import type { Counts } from '../../core/migrate/counts.ts';
import type { MigrateEvent, PassProgress } from '../../core/migrate/migrate-event.ts';
import { plural, showDuration, showNumber } from '../../core/show/numbers.ts';
import type { Output } from '../output.ts';
import { type Progress, showProgress } from '../show/progress.ts';
import type { ProgressState } from '../show/progress-text.ts';

const passNames = { apply: 'backfill', verify: 'verify', rollback: 'rollback' } as const;

/** Shows a run to people; with `--json` its events as they are. */
export class MigrateRenderer {
  readonly #output: Output;
  readonly #progress: Progress;

  constructor(output: Output) {
    this.#output = output;
    this.#progress = showProgress(output);
  }

  readonly show = (event: MigrateEvent): void => {
    if (event.kind === 'progress') {
      this.#progress.update(progressState(event.progress));
      return;
    }
    if (this.#output.options.json) {
      // How far it got last stands before what came of it.
      if (event.kind === 'step-done') this.#progress.stop();
      const { kind, ...rest } = event;
      this.#output.note({ event: kind, ...rest }, '');
      return;
    }
    const text = describeEvent(event);
    if (text === undefined) return;
    this.clear();
    this.#output.note({ event: event.kind }, text);
  };

  /** Takes the progress line away. */
  clear(): void {
    this.#progress.clear();
  }
}

function progressState(progress: PassProgress): ProgressState {
  const { counts, earlier, expected, segments, segmentsDone, write, read, pass, step, throttles, heldBy } = progress;
  const busy = pass === 'verify' ? read : write;
  const { migration, table, units, refusals } = progress;
  return {
    label: `${passNames[pass]} ${step}`,
    done: counts.scanned,
    before: earlier.counts.scanned,
    ...(expected > counts.scanned ? { total: expected, roughly: true } : {}),
    units: { kind: pass === 'verify' ? 'RCU' : 'WCU', perSecond: busy.consumedPerSecond, budget: busy.budget },
    throttles,
    slow: progress.told ?? slownessOf(write.slow, read.slow),
    details: { migration, step, pass, table, counts, units, segments, segmentsDone, refusals, heldBy: heldBy ?? null },
    remarks: [
      ...(pass === 'verify' ? [] : [`${showNumber(counts.changed)} ${pass === 'rollback' ? 'restored' : 'changed'}`]),
      ...(heldBy === undefined ? [] : [`holding still: ${heldBy}`]),
      `segments ${segmentsDone}/${segments}`,
    ],
  };
}

/** What became of items; a rollback restores where others change. */
export function countsText(counts: Counts, pass: Pass = 'apply'): string {
  const isRollback = pass === 'rollback';
  const parts: readonly (readonly [number, string])[] = [
    [counts.changed, isRollback ? 'restored' : 'changed'],
    [counts.right, isRollback ? 'as before already' : 'right already'],
    [counts.foreign, 'of other entities'],
    [counts.expired, 'expired'],
    [counts.gone, isRollback ? 'deleted since' : 'deleted meanwhile'],
    [counts.dead, counts.dead === 1 ? 'dead letter' : 'dead letters'],
    [counts.conflicts, 'decided anew after somebody else’s write'],
    [counts.kept, 'kept, changed since'],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([count, name]) => `${showNumber(count)} ${name}`);
  return [plural(counts.scanned, 'item'), ...(shown.length === 0 ? [] : [shown.join(', ')])].join(': ');
}

function describeEvent(event: Exclude<MigrateEvent, { readonly kind: 'progress' }>): string | undefined {
  switch (event.kind) {
    case 'lock-taken':
      return event.takenOver === undefined ? undefined : `Took the lock over from ${event.takenOver}, whose lease had passed.`;
    case 'migration-started':
      return `${event.migration}  ${event.description}${event.resumed ? ' (goes on)' : ''}`;
    case 'step-done':
      return `  ${passNames[event.pass]} ${event.step}: ${stepText(event)} in ${showDuration(event.elapsedMs / 1_000)}`;
    case 'paused':
      return `  paused by ${event.by}; 'tablewright resume' goes on`;
    case 'resumed':
      return '  resumed';
    case 'held':
      return `  holding still: ${event.by}`;
    case 'released':
      return '  no alarm rings any more: going on';
    case 'alarms-unseen':
      return `  the alarms cannot be read, ${event.held ? 'still holding' : 'going on without them'}: ${event.message}`;
    case 'alarms-seen':
      return '  the alarms can be read again';
    case 'dead-letter':
      return `  dead letter: ${event.table} ${event.key}`;
    case 'leftovers':
      return `  ${plural(event.count, 'item')} left over by ${event.step}: ${event.keys.join(', ')}`;
    case 'message':
      return `  ${event.step}: ${event.message}`;
    default:
      return undefined;
  }
}

function stepText({ pass, counts, units }: Extract<MigrateEvent, { readonly kind: 'step-done' }>): string {
  const consumed = `${showNumber(units.read)} RCU${pass === 'verify' ? '' : `, ${showNumber(units.write)} WCU`}`;
  if (pass !== 'verify') return `${countsText(counts, pass)} · ${consumed}`;
  const left = counts.changed + counts.dead;
  return `${plural(counts.scanned, 'item')}, ${left === 0 ? 'nothing left over' : `${showNumber(left)} left over`} · ${consumed}`;
}
