import { showNumber } from '../show/numbers.ts';

export interface ChartSeries {
  readonly name: string;
  readonly color: string;
  /** Seconds since the start, and the value. */
  readonly points: readonly (readonly [number, number])[];
}

export interface ChartOptions {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly ChartSeries[];
  /** A dashed line across, such as a budget. */
  readonly limit?: { readonly name: string; readonly value: number };
  /** Moments to mark, in seconds. */
  readonly marks?: { readonly name: string; readonly at: readonly number[] };
}

/** A drawing is made for a width: scaled down, its text could not be read. */
export interface ChartSize {
  readonly width: number;
  readonly height: number;
  /** At most so many steps on the axis of time. */
  readonly timeSteps: number;
}

export const wideChart: ChartSize = { width: 860, height: 220, timeSteps: 8 };
/** For a telephone: 380 px are what a window of 420 px leaves. */
export const narrowChart: ChartSize = { width: 380, height: 210, timeSteps: 4 };

const margin = { left: 56, right: 16, top: 52, bottom: 30 };
const valueSteps = 4;

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}

/** The least of 1, 2 and 5 times a power of ten that takes no more than so many steps up to a value. */
export function roundStep(value: number, steps: number): number {
  if (value <= 0) return 1;
  const wanted = value / steps;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return ([1, 2, 5].find((factor) => factor * power >= wanted * 0.999_999) ?? 10) * power;
}

/** Steps of time that people count in, in seconds. */
const timeUnits = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400];

export function timeStep(seconds: number, steps: number): number {
  return timeUnits.find((unit) => seconds / unit <= steps) ?? Math.ceil(seconds / steps / 86_400) * 86_400;
}

/** `0`, `30 s`, `1 min`, `1 min 30 s`, `2 h`, `2 h 30 min` */
export function timeText(seconds: number): string {
  if (seconds === 0) return '0';
  if (seconds < 60) return `${seconds} s`;
  const [large, small, size] = seconds < 3_600 ? ['min', 's', 60] : ['h', 'min', 3_600];
  const rest = Math.round((seconds % size) / (size / 60));
  return `${Math.floor(seconds / size)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
const upTo = (max: number, step: number): readonly number[] =>
  Array.from({ length: Math.floor(max / step + 0.000_001) + 1 }, (_, at) => at * step);

/** A line chart as an SVG element. Pure: the same data gives the same text. */
export function lineChart({ title, unit, series, limit, marks }: ChartOptions, size: ChartSize = wideChart): string {
  const { width, height, timeSteps } = size;
  const points = series.flatMap((entry) => entry.points);
  const maxX = Math.max(1, ...points.map(([x]) => x));
  const most = Math.max(limit?.value ?? 0, ...points.map(([, y]) => y));
  const step = roundStep(most, valueSteps);
  const maxY = Math.max(step, Math.ceil(most / step - 0.000_001) * step);
  const x = (seconds: number) => margin.left + (seconds / maxX) * (width - margin.left - margin.right);
  const y = (value: number) => height - margin.bottom - (value / maxY) * (height - margin.top - margin.bottom);
  const across = (at: number, kind: string) =>
    `<line x1="${margin.left}" x2="${width - margin.right}" y1="${round(y(at))}" y2="${round(y(at))}" class="${kind}"/>`;
  const lines = series.map(({ color, points: own }) => {
    const path = own.map(([at, value]) => `${round(x(at))},${round(y(value))}`).join(' ');
    return `<polyline fill="none" stroke="${color}" stroke-width="2" points="${path}"/>`;
  });
  const times = upTo(maxX, timeStep(maxX, timeSteps));
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}" class="${width < wideChart.width ? 'narrow' : 'wide'}">`,
    `<text x="12" y="18" class="title">${escapeXml(title)} <tspan class="unit">${escapeXml(unit)}</tspan></text>`,
    ...upTo(maxY, step).map((value) => across(value, 'grid') + valueLabel(value, y)),
    ...times.map(
      (at) => `<text x="${round(x(at))}" y="${height - 10}" class="label" text-anchor="middle">${timeText(at)}</text>`,
    ),
    ...(limit === undefined ? [] : [across(limit.value, 'limit')]),
    ...(marks?.at ?? []).map(
      (at) => `<line x1="${round(x(at))}" x2="${round(x(at))}" y1="${margin.top}" y2="${height - margin.bottom}" class="mark"/>`,
    ),
    ...lines,
    ...legend(series, limit?.name, marks !== undefined && marks.at.length > 0 ? marks.name : undefined),
    '</svg>',
  ].join('\n');
}

function valueLabel(value: number, y: (value: number) => number): string {
  return `<text x="${margin.left - 8}" y="${round(y(value))}" class="label" text-anchor="end" dominant-baseline="middle">${showNumber(value)}</text>`;
}

/** Below the title, from the left: there it fits a narrow drawing as well. */
function legend(series: readonly ChartSeries[], limit: string | undefined, mark: string | undefined): readonly string[] {
  const entries = [
    ...series.map(({ name, color }) => ({ name, style: `stroke="${color}" stroke-width="3"` })),
    ...(limit === undefined ? [] : [{ name: limit, style: 'class="limit"' }]),
    ...(mark === undefined ? [] : [{ name: mark, style: 'class="mark"' }]),
  ];
  let left = 12;
  return entries.flatMap(({ name, style }) => {
    const at = left;
    left += name.length * 7 + 38;
    return [
      `<line x1="${at}" x2="${at + 18}" y1="34" y2="34" ${style}/>`,
      `<text x="${at + 23}" y="38" class="label">${escapeXml(name)}</text>`,
    ];
  });
}
