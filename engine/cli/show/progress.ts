import { showDuration, showNumber } from '../../core/show/numbers.ts';
import type { Output } from '../output.ts';

/** How far long work has got. All commands show it the same way. */
export interface ProgressState {
  /** What is being done: `oms`, `export oms_config`. */
  readonly label: string;
  readonly done: number;
  /** Done before this run, which goes on with it: no part of its rate. */
  readonly before?: number;
  /** Left out when nobody knows. */
  readonly total?: number | undefined;
  /** The total is DynamoDB's own count, some hours old. */
  readonly roughly?: boolean;
  /** What is counted; `items` when left out. */
  readonly counted?: string;
  /** Units consumed a second, and the most that may be; no budget when left out. */
  readonly units?: { readonly kind: 'WCU' | 'RCU'; readonly perSecond: number; readonly budget?: number | undefined };
  /** Requests refused for want of capacity. */
  readonly throttles?: number;
  /** Anything else that is worth a word: `2 dead letters`. */
  readonly remarks?: readonly string[];
}

/** A line at most this often where lines are not redrawn. */
export const lineEveryMs = 3_000;
/** On a terminal the line is redrawn at most this often. */
const redrawEveryMs = 100;
/** The rate shown is that of the last few seconds. */
const rateWindowMs = 5_000;

export interface Progress {
  update(state: ProgressState): void;
  /** Takes the line away, so that something else can be printed; the next state is drawn anew. */
  clear(): void;
  /** Ends it: the last state stays to be read. */
  stop(): void;
}

interface Rate {
  readonly perSecond: number;
  readonly etaSeconds: number | undefined;
}

type Show = (state: ProgressState, rate: Rate) => void;

/** Nothing is shown. */
export const noProgress: Progress = { update: () => undefined, clear: () => undefined, stop: () => undefined };

/**
 * A bar on a terminal, one plain line every few seconds otherwise, JSON lines with `--json`, nothing with `--quiet`. Progress
 * goes to the error stream, so that results can be piped; events go where the other JSON lines go.
 */
export function showProgress(output: Output, steadyMs: () => number = () => performance.now()): Progress {
  const { json, quiet, terminal, writeError } = output.options;
  if (quiet) return noProgress;
  if (json) return paced(steadyMs, (state, rate) => output.note(progressEvent(state, rate), ''));
  return terminal ? redrawn(output, steadyMs) : paced(steadyMs, (state, rate) => writeError(`${progressLine(state, rate)}\n`));
}

/** Every state counts for the rate; one every few seconds is shown, and the last. */
function paced(steadyMs: () => number, show: Show): Progress {
  const rateOf = rateMeter(steadyMs);
  let last: (() => void) | undefined;
  let shownMs = steadyMs();
  let shownDone: number | undefined;
  return {
    update(state) {
      const rate = rateOf(state);
      last = state.done === shownDone ? undefined : () => show(state, rate);
      if (steadyMs() - shownMs < lineEveryMs) return;
      shownMs = steadyMs();
      shownDone = state.done;
      last?.();
      last = undefined;
    },
    clear() {
      last = undefined;
    },
    stop() {
      last?.();
      last = undefined;
    },
  };
}

/** One line that is written over and over. */
function redrawn({ options: { columns, writeError } }: Output, steadyMs: () => number): Progress {
  const rateOf = rateMeter(steadyMs);
  let line: string | undefined;
  let drawnMs = Number.NEGATIVE_INFINITY;
  const erase = '\r\x1b[K';
  return {
    update(state) {
      const text = progressLine(state, rateOf(state));
      line = [...barOf(state, columns), text].join(' ').slice(0, Math.max(20, columns - 1));
      if (steadyMs() - drawnMs < redrawEveryMs) return;
      drawnMs = steadyMs();
      writeError(`${erase}${line}`);
    },
    clear() {
      if (line !== undefined) writeError(erase);
      line = undefined;
      drawnMs = Number.NEGATIVE_INFINITY;
    },
    stop() {
      if (line !== undefined) writeError(`${erase}${line}\n`);
      line = undefined;
    },
  };
}

function barOf({ done, total }: ProgressState, columns: number): readonly string[] {
  if (total === undefined || total === 0) return [];
  const width = Math.max(8, Math.min(24, columns - 90));
  const full = Math.round(Math.min(1, done / total) * width);
  return [`${'█'.repeat(full)}${'░'.repeat(width - full)}`];
}

function rateMeter(steadyMs: () => number): (state: ProgressState) => Rate {
  let samples: { readonly atMs: number; readonly own: number }[] = [];
  return ({ done, before = 0, total }) => {
    const atMs = steadyMs();
    const own = done - before;
    samples = [...samples.filter((sample) => atMs - sample.atMs <= rateWindowMs && sample.own <= own), { atMs, own }];
    const first = samples[0] ?? { atMs, own };
    const seconds = (atMs - first.atMs) / 1_000;
    const perSecond = seconds <= 0 ? 0 : (own - first.own) / seconds;
    const etaSeconds = total === undefined || perSecond <= 0 ? undefined : Math.max(0, (total - done) / perSecond);
    return { perSecond, etaSeconds };
  };
}

/** `oms 41% 410,000 of 1,000,000 items, 4,870/s, 9,120 WCU/s of 10,000, 3 throttled, 2 min 1 s left` */
export function progressLine(state: ProgressState, { perSecond, etaSeconds }: Rate): string {
  const { label, done, total, roughly = false, counted = 'items', units, throttles = 0, remarks = [] } = state;
  const share = total === undefined || total === 0 ? '' : `${Math.min(100, Math.floor((done / total) * 100))}% `;
  const amount = total === undefined ? whole(done) : `${whole(done)} of ${roughly ? 'about ' : ''}${whole(total)}`;
  const budget = units?.budget === undefined || !Number.isFinite(units.budget) ? '' : ` of ${whole(units.budget)}`;
  const parts = [
    `${label} ${share}${amount} ${counted}`,
    `${whole(perSecond)}/s`,
    ...(units === undefined ? [] : [`${whole(units.perSecond)} ${units.kind}/s${budget}`]),
    ...(throttles === 0 ? [] : [`${whole(throttles)} throttled`]),
    ...remarks,
    ...(etaSeconds === undefined || done === total ? [] : [`${showDuration(Math.ceil(etaSeconds))} left`]),
  ];
  return parts.join(', ');
}

const whole = (value: number): string => showNumber(Math.round(value));

function progressEvent(state: ProgressState, { perSecond, etaSeconds }: Rate) {
  const { label, done, total = null, counted = 'items', units, throttles = 0, remarks = [] } = state;
  return {
    event: 'progress',
    label,
    counted,
    done,
    total,
    perSecond: Math.round(perSecond),
    unitsPerSecond: units === undefined ? null : Math.round(units.perSecond),
    unitsBudget: units?.budget !== undefined && Number.isFinite(units.budget) ? units.budget : null,
    throttles,
    etaSeconds: etaSeconds === undefined ? null : Math.round(etaSeconds),
    remark: remarks.length === 0 ? null : remarks.join(', '),
  };
}
