import { showDuration, showNumber } from '../../core/show/numbers.ts';
import { cutText, textWidth } from './text-width.ts';

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
  /** What is counted; `items` when left out. Seconds are those that somebody else's work has taken: they have no rate. */
  readonly counted?: string;
  /** Units consumed a second, and the most that may be; no budget when left out. */
  readonly units?: { readonly kind: 'WCU' | 'RCU'; readonly perSecond: number; readonly budget?: number | undefined };
  /** Requests refused for want of capacity. */
  readonly throttles?: number;
  /** Why it is slower than it could be; each reason is said once. */
  readonly slow?: { readonly kind: string; readonly text: string } | undefined;
  /** Anything else that is worth a word: `2 dead letters`. */
  readonly remarks?: readonly string[];
  /** Further fields of the JSON line. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Rate {
  readonly perSecond: number;
  readonly etaSeconds: number | undefined;
}

const whole = (value: number): string => showNumber(Math.round(value));

/** How far, of 1; undefined where nobody knows the whole. */
const shareOf = ({ done, total }: ProgressState): number | undefined =>
  total === undefined || total === 0 ? undefined : Math.min(1, done / total);

function percentText(state: ProgressState): string {
  const share = shareOf(state);
  if (share === undefined) return '';
  // A count that is hours old must not say that all is done while something is.
  const percent = Math.floor(share * 100);
  return `${state.roughly === true ? Math.min(99, percent) : percent}% `;
}

/** Each part of the line, and how much it matters: 0 the most. */
function partsOf(state: ProgressState, { perSecond, etaSeconds }: Rate): readonly (readonly [number, string])[] {
  const { label, done, total, roughly = false, counted = 'items', units, throttles = 0, remarks = [] } = state;
  if (counted === 'seconds') return [[0, `${label} ${showDuration(done)}`], ...remarks.map((text) => [1, text] as const)];
  const amount = total === undefined ? whole(done) : `${whole(done)} of ${roughly ? 'about ' : ''}${whole(total)}`;
  const budget = units?.budget === undefined || !Number.isFinite(units.budget) ? '' : ` of ${whole(units.budget)}`;
  return [
    [0, `${label} ${percentText(state)}${amount} ${counted}`],
    [2, `${whole(perSecond)}/s`],
    ...(units === undefined ? [] : [[3, `${whole(units.perSecond)} ${units.kind}/s${budget}`] as const]),
    ...(throttles === 0 ? [] : [[4, `${whole(throttles)} throttled`] as const]),
    ...remarks.map((text) => [5, text] as const),
    ...(etaSeconds === undefined || done === total ? [] : [[1, `${showDuration(Math.ceil(etaSeconds))} left`] as const]),
  ];
}

/** `oms 41% 410,000 of 1,000,000 items, 4,870/s, 9,120 WCU/s of 10,000, 3 throttled, 2 min 1 s left` */
export function progressLine(state: ProgressState, rate: Rate): string {
  return partsOf(state, rate)
    .map(([, text]) => text)
    .join(', ');
}

const widestBar = 24;
const narrowestBar = 8;
/** A long label is cut to this before the rate and the time left go: those are looked for, the label is known. */
const leastLabel = 20;

/** The same with a bar before it, within the width: a long label is cut, then what matters least is left out, then the bar. */
export function progressParts(state: ProgressState, rate: Rate, columns: number): string {
  const short = cutText(state.label, leastLabel);
  let parts = partsOf({ ...state, label: short }, rate);
  const text = (): string => parts.map(([, part]) => part).join(', ');
  const share = shareOf(state);
  const bar = share === undefined ? 0 : narrowestBar + 1;
  while (parts.length > 1 && textWidth(text()) + bar > columns) {
    const least = Math.max(...parts.map(([rank]) => rank));
    const goes = parts.findLastIndex(([rank]) => rank === least);
    parts = parts.filter((_, at) => at !== goes);
  }
  // What was cut off and has room all the same comes back.
  const label = cutText(state.label, columns - bar - textWidth(text()) + textWidth(short));
  if (textWidth(label) > textWidth(short))
    parts = parts.map(([rank, part]) => [rank, rank === 0 ? part.replace(short, () => label) : part]);
  const room = columns - textWidth(text()) - 1;
  const shown = share === undefined || room < narrowestBar ? '' : `${barText(share, Math.min(widestBar, room))} `;
  return cutText(`${shown}${text()}`, columns);
}

function barText(share: number, width: number): string {
  const full = Math.round(share * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
}

/** A line of its own for a reason that was not said before; `told` remembers. */
export function slowLine({ label, slow }: ProgressState, told: Set<string>): string | undefined {
  const name = `${label} ${slow?.kind}`;
  if (slow === undefined || told.has(name)) return undefined;
  told.add(name);
  return `${label}: ${slow.text}`;
}

export function progressEvent(state: ProgressState, { perSecond, etaSeconds }: Rate) {
  const { label, done, total = null, counted = 'items', units, throttles = 0, remarks = [], slow, details = {} } = state;
  const share = shareOf(state);
  return {
    event: 'progress' as const,
    label,
    counted,
    done,
    total,
    percent: share === undefined ? null : Math.floor(share * 100),
    perSecond: Math.round(perSecond),
    unitsPerSecond: units === undefined ? null : Math.round(units.perSecond),
    unitsBudget: units?.budget !== undefined && Number.isFinite(units.budget) ? units.budget : null,
    throttles,
    etaSeconds: etaSeconds === undefined ? null : Math.round(etaSeconds),
    slow: slow?.text ?? null,
    remark: remarks.length === 0 ? null : remarks.join(', '),
    ...details,
  };
}
