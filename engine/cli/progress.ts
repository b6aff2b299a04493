import cliProgress from 'cli-progress';
import type { Output } from './output.ts';

/** How far long work has got. All commands show it the same way. */
export interface ProgressState {
  /** What is being done: `oms`, `export oms_config`. */
  readonly label: string;
  readonly done: number;
  /** Left out when nobody knows. */
  readonly total?: number | undefined;
  /** What is counted; `items` when left out. */
  readonly counted?: string;
  /** Units consumed a second, and the most that may be; no budget when left out. */
  readonly units?: { readonly kind: 'WCU' | 'RCU'; readonly perSecond: number; readonly budget?: number | undefined };
  /** Requests refused for want of capacity. */
  readonly throttles?: number;
  /** Anything else that is worth a word: `2 dead letters`. */
  readonly remark?: string | undefined;
}

/** A line at most this often where lines are not redrawn. */
export const lineEveryMs = 3_000;
/** The rate shown is that of the last few seconds. */
const rateWindowMs = 5_000;

export interface Progress {
  update(state: ProgressState): void;
  /** Ends it: the last state stays to be read. */
  stop(): void;
}

interface Rate {
  readonly perSecond: number;
  readonly etaSeconds: number | undefined;
}

/**
 * A bar on a terminal, one plain line every few seconds otherwise, JSON lines with `--json`, nothing with `--quiet`. Progress
 * goes to the error stream, so that results can be piped; events go where the other JSON lines go.
 */
export function showProgress(output: Output, now: () => number = () => performance.now()): Progress {
  const { json, quiet, terminal } = output.options;
  if (quiet) return { update: () => undefined, stop: () => undefined };
  const rate = rateMeter(now);
  if (json) return paced(now, rate, (state, pace) => output.note(progressEvent(state, pace), ''));
  if (!terminal) return paced(now, rate, (state, pace) => output.options.writeError(`${progressLine(state, pace)}\n`));
  return bar(rate, output.options.columns);
}

type RateMeter = (state: ProgressState) => Rate;

/** Every state counts for the rate; one every few seconds is shown, and the last. */
function paced(now: () => number, rate: RateMeter, show: (state: ProgressState, pace: Rate) => void): Progress {
  let last: (() => void) | undefined;
  let shownMs = now();
  let shownDone: number | undefined;
  return {
    update(state) {
      const pace = rate(state);
      const showNow = () => show(state, pace);
      last = state.done === shownDone ? undefined : showNow;
      if (now() - shownMs < lineEveryMs) return;
      shownMs = now();
      shownDone = state.done;
      last?.();
      last = undefined;
    },
    stop() {
      last?.();
      last = undefined;
    },
  };
}

function bar(rate: RateMeter, columns: number): Progress {
  let current: { readonly text: string; readonly share: number | undefined } = { text: '', share: undefined };
  const drawn = new cliProgress.SingleBar({
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: false,
    fps: 10,
    linewrap: false,
    format: () => (current.share === undefined ? current.text : `${barOf(current.share, columns)} ${current.text}`),
  });
  let started = false;
  return {
    update(state) {
      const share = state.total === undefined || state.total === 0 ? undefined : Math.min(1, state.done / state.total);
      current = { text: progressLine(state, rate(state)), share };
      if (!started) drawn.start(state.total ?? state.done, state.done);
      else drawn.update(state.done);
      started = true;
    },
    stop() {
      if (started) drawn.stop();
    },
  };
}

function barOf(share: number, columns: number): string {
  const width = Math.max(8, Math.min(24, columns - 90));
  const full = Math.round(share * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
}

function rateMeter(now: () => number): RateMeter {
  let samples: { readonly atMs: number; readonly done: number }[] = [];
  return ({ done, total }) => {
    const atMs = now();
    samples = [...samples.filter((sample) => atMs - sample.atMs <= rateWindowMs && sample.done <= done), { atMs, done }];
    const first = samples[0] ?? { atMs, done };
    const seconds = (atMs - first.atMs) / 1_000;
    const perSecond = seconds <= 0 ? 0 : (done - first.done) / seconds;
    const etaSeconds = total === undefined || perSecond <= 0 ? undefined : Math.max(0, (total - done) / perSecond);
    return { perSecond, etaSeconds };
  };
}

/** `oms 41% 410,000 of 1,000,000 items, 4,870/s, 9,120 WCU/s of 10,000, 3 throttled, 2 min 1 s left` */
export function progressLine(state: ProgressState, { perSecond, etaSeconds }: Rate): string {
  const { label, done, total, counted = 'items', units, throttles = 0, remark } = state;
  const share = total === undefined || total === 0 ? '' : `${Math.floor((done / total) * 100)}% `;
  const amount = total === undefined ? count(done) : `${count(done)} of ${count(total)}`;
  const budget = units?.budget === undefined || !Number.isFinite(units.budget) ? '' : ` of ${count(units.budget)}`;
  const parts = [
    `${label} ${share}${amount} ${counted}`,
    `${count(perSecond)}/s`,
    ...(units === undefined ? [] : [`${count(units.perSecond)} ${units.kind}/s${budget}`]),
    ...(throttles === 0 ? [] : [`${count(throttles)} throttled`]),
    ...(remark === undefined ? [] : [remark]),
    ...(etaSeconds === undefined || done === total ? [] : [`${duration(etaSeconds)} left`]),
  ];
  return parts.join(', ');
}

function progressEvent(state: ProgressState, { perSecond, etaSeconds }: Rate) {
  const { label, done, total = null, counted = 'items', units, throttles = 0, remark = null } = state;
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
    remark,
  };
}

/** 1,234,567 */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `48 s`, `2 min 1 s`, `3 h 20 min` */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
