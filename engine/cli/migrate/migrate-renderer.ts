import type { SlowReason } from '../../core/capacity/capacity-limiter.ts';
import type { Counts } from '../../core/migrate/counts.ts';
import type { MigrateEvent, PassProgress } from '../../core/migrate/migrate-event.ts';
import type { Output } from '../output.ts';
import { formatCount, formatSeconds, plural } from './format.ts';

/** Without a terminal a line of progress comes this often. */
const plainEveryMs = 5_000;

const passNames = { apply: 'backfill', verify: 'verify', rollback: 'rollback' } as const;

/** Shows a run to people: one line that is redrawn on a terminal, lines now and then elsewhere, events with `--json`. */
export class MigrateRenderer {
  readonly #output: Output;
  #drawn = false;
  #lastPlainMs = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  readonly show = (event: MigrateEvent): void => {
    const { json, quiet, terminal, columns } = this.#output.options;
    if (quiet) return;
    if (json) {
      this.#output.note({ event: event.kind, ...(event.kind === 'progress' ? event.progress : event) }, '');
      return;
    }
    if (event.kind === 'progress') {
      if (terminal) this.#draw(progressLine(event.progress).slice(0, Math.max(20, columns - 1)));
      else this.#plain(event.progress);
      return;
    }
    const text = describeEvent(event);
    if (text === undefined) return;
    this.clear();
    this.#output.note({ event: event.kind }, text);
  };

  /** Takes the progress line away. */
  clear(): void {
    if (this.#drawn) this.#output.options.writeError('\r\u001b[K');
    this.#drawn = false;
  }

  #draw(line: string): void {
    this.#output.options.writeError(`\r\u001b[K${line}`);
    this.#drawn = true;
  }

  #plain(progress: PassProgress): void {
    if (progress.elapsedMs - this.#lastPlainMs < plainEveryMs) {
      if (progress.elapsedMs < this.#lastPlainMs) this.#lastPlainMs = 0;
      return;
    }
    this.#lastPlainMs = progress.elapsedMs;
    this.#output.options.writeError(`${progressLine(progress)}\n`);
  }
}

export function progressLine(progress: PassProgress): string {
  const { counts, elapsedMs, expected, segments, segmentsDone, write, read, pass } = progress;
  const perSecond = elapsedMs > 0 ? (counts.scanned * 1_000) / elapsedMs : 0;
  const left = expected > counts.scanned && perSecond > 0 ? (expected - counts.scanned) / perSecond : undefined;
  const busy = pass === 'verify' ? read : write;
  const budget = Number.isFinite(busy.budget) ? ` of ${formatCount(busy.budget)}` : '';
  const slow = write.slow ?? read.slow;
  return [
    `  ${passNames[pass]} ${progress.step}`,
    `${formatCount(counts.scanned)}${expected > counts.scanned ? ` of about ${formatCount(expected)}` : ''} items`,
    ...(pass === 'verify' ? [] : [`${formatCount(counts.changed)} changed`]),
    `${formatCount(Math.round(perSecond))}/s`,
    `${formatCount(Math.round(busy.consumedPerSecond))}${budget} ${pass === 'verify' ? 'RCU' : 'WCU'}/s`,
    ...(slow === undefined ? [] : [slowText(slow)]),
    `segments ${segmentsDone}/${segments}`,
    ...(left === undefined ? [] : [`${formatSeconds(left)} left`]),
  ].join(' · ');
}

export function slowText(slow: SlowReason): string {
  if (slow.kind === 'learning') return 'slow: waiting for the first answer to learn the cost';
  if (slow.kind === 'budget') return `slow: the budget of ${formatCount(slow.unitsPerSecond)} units/s is used up`;
  return `slow: DynamoDB refused ${Math.round(slow.share * 100)} %, down to ${formatCount(Math.round(slow.unitsPerSecond))} units/s`;
}

export function countsText(counts: Counts): string {
  const parts: readonly (readonly [number, string])[] = [
    [counts.changed, 'changed'],
    [counts.right, 'right already'],
    [counts.foreign, 'of other entities'],
    [counts.expired, 'expired'],
    [counts.gone, 'deleted meanwhile'],
    [counts.dead, 'dead letters'],
    [counts.conflicts, 'decided anew after somebody else’s write'],
    [counts.kept, 'kept, changed since'],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([count, name]) => `${formatCount(count)} ${name}`);
  return [plural(counts.scanned, 'item'), ...(shown.length === 0 ? [] : [shown.join(', ')])].join(': ');
}

function describeEvent(event: Exclude<MigrateEvent, { readonly kind: 'progress' }>): string | undefined {
  switch (event.kind) {
    case 'lock-taken':
      return event.takenOver === undefined ? undefined : `Took the lock over from ${event.takenOver}, whose lease had passed.`;
    case 'migration-started':
      return `${event.migration}  ${event.description}${event.resumed ? ' (goes on)' : ''}`;
    case 'step-done':
      return `  ${passNames[event.pass]} ${event.step}: ${stepText(event)} in ${formatSeconds(event.elapsedMs / 1_000)}`;
    case 'paused':
      return `  paused by ${event.by}; 'tablewright resume' goes on`;
    case 'resumed':
      return '  resumed';
    case 'dead-letter':
      return `  dead letter: ${event.table} ${event.key}`;
    case 'leftovers':
      return `  ${plural(event.count, 'item')} left over by ${event.step}: ${event.keys.join(', ')}`;
    case 'message':
      return `  ${event.step}: ${event.message}`;
    case 'pace':
      return event.slow === undefined || event.slow.kind === 'learning'
        ? undefined
        : `  ${event.table}: ${event.what} ${slowText(event.slow)}`;
    default:
      return undefined;
  }
}

function stepText({ pass, counts, units }: Extract<MigrateEvent, { readonly kind: 'step-done' }>): string {
  const consumed = `${formatCount(units.read)} RCU${pass === 'verify' ? '' : `, ${formatCount(units.write)} WCU`}`;
  if (pass !== 'verify') return `${countsText(counts)} · ${consumed}`;
  const left = counts.changed + counts.dead;
  return `${plural(counts.scanned, 'item')}, ${left === 0 ? 'nothing left over' : `${formatCount(left)} left over`} · ${consumed}`;
}
