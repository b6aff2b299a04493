import type { Output } from '../output.ts';
import { fold } from './fold.js';
import { type ProgressState, progressEvent, progressLine, progressParts, type Rate, slowLine } from './progress-text.ts';
import { pipe } from './screen.ts';
import { textWidth } from './text-width.ts';

/** A line at most this often where lines are not redrawn. */
export const lineEveryMs = 10_000;
/** Programs that follow want to know sooner; and that nobody reads any more is known only by writing. */
const eventEveryMs = 1_000;
/** On a terminal the line is redrawn at most this often. */
const redrawEveryMs = 100;
/** The rate shown is that of the last few seconds. */
const rateWindowMs = 5_000;

/** How far long work has got; every command shows it by this. */
export interface Progress {
  update(state: ProgressState): void;
  /** Takes the line away, so that something else can be printed; the next state is drawn anew. */
  clear(): void;
  /** Ends it: the last state stays to be read. */
  stop(): void;
}

type Show = (state: ProgressState, rate: Rate) => void;

/** Nothing is shown. */
export const noProgress: Progress = { update: () => undefined, clear: () => undefined, stop: () => undefined };

/**
 * A bar on a terminal, one plain line every ten seconds otherwise, JSON lines with `--json`, nothing with `--quiet`. Progress
 * goes to the error stream, so that results can be piped; events go where the other JSON lines go. Why it is slow is said once.
 */
export function showProgress(output: Output, steadyMs: () => number = () => performance.now()): Progress {
  const { json, quiet, errors = pipe, writeError } = output.options;
  if (quiet) return noProgress;
  if (json) return paced(steadyMs, (state, rate) => output.note(progressEvent(state, rate), ''), eventEveryMs);
  const told = new Set<string>();
  if (errors.terminal) return redrawn(output, steadyMs, told);
  return paced(steadyMs, (state, rate) => {
    const slow = slowLine(state, told);
    writeError(`${progressLine(state, rate)}\n${slow === undefined ? '' : `${slow}\n`}`);
  });
}

/** Every state counts for the rate; one every so often is shown, also while nothing comes forward, and the last if it is news. */
function paced(steadyMs: () => number, show: Show, everyMs = lineEveryMs): Progress {
  const rateOf = rateMeter(steadyMs);
  let last: (() => void) | undefined;
  let shownMs = steadyMs();
  let shownDone: number | undefined;
  return {
    update(state) {
      const rate = rateOf(state);
      last = state.done === shownDone ? undefined : () => show(state, rate);
      if (steadyMs() - shownMs < everyMs) return;
      shownMs = steadyMs();
      shownDone = state.done;
      show(state, rate);
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

/** One line that is written over and over, as wide as the window is at that moment. */
function redrawn(output: Output, steadyMs: () => number, told: Set<string>): Progress {
  const { errors = pipe, writeError } = output.options;
  const rateOf = rateMeter(steadyMs);
  let current: (() => string) | undefined;
  let drawnWidth = 0;
  let drawnMs = Number.NEGATIVE_INFINITY;
  // A window that has become narrower shows what was drawn on several rows.
  const erase = (): string => {
    const rowsAbove = drawnWidth === 0 ? 0 : Math.ceil(drawnWidth / errors.columns) - 1;
    drawnWidth = 0;
    return `${rowsAbove > 0 ? `\x1b[${rowsAbove}A` : ''}\r\x1b[J`;
  };
  const draw = (): string => {
    const line = current?.() ?? '';
    const text = `${erase()}${line}`;
    drawnWidth = textWidth(line);
    output.beforePrint = clear;
    return text;
  };
  const clear = (): void => {
    if (drawnWidth > 0) writeError(erase());
    current = undefined;
    drawnMs = Number.NEGATIVE_INFINITY;
  };
  return {
    clear,
    update(state) {
      const rate = rateOf(state);
      current = () => progressParts(state, rate, errors.columns - 1);
      const slow = slowLine(state, told);
      if (slow !== undefined) writeError(`${erase()}${fold(slow, errors.columns, textWidth)}\n`);
      if (slow === undefined && steadyMs() - drawnMs < redrawEveryMs) return;
      drawnMs = steadyMs();
      writeError(draw());
    },
    stop() {
      if (current !== undefined) writeError(`${draw()}\n`);
      current = undefined;
      drawnWidth = 0;
    },
  };
}

/** Of this run alone: what was done before it counts for how far, not for how fast. */
function rateMeter(steadyMs: () => number): (state: ProgressState) => Rate {
  let samples: { readonly atMs: number; readonly own: number }[] = [];
  return ({ done, before = 0, total }) => {
    const atMs = steadyMs();
    const own = done - before;
    // The last one counts however long ago it was: what is looked at from outside may come in further apart than that.
    const recent = samples.filter((sample, at) => atMs - sample.atMs <= rateWindowMs || at === samples.length - 1);
    samples = [...recent.filter((sample) => sample.own <= own), { atMs, own }];
    const first = samples[0] ?? { atMs, own };
    const seconds = (atMs - first.atMs) / 1_000;
    const perSecond = seconds <= 0 ? 0 : (own - first.own) / seconds;
    const etaSeconds = total === undefined || perSecond <= 0 ? undefined : Math.max(0, (total - done) / perSecond);
    return { perSecond, etaSeconds };
  };
}
