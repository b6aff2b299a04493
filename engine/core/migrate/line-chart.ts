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

const width = 860;
const height = 220;
const margin = { left: 64, right: 16, top: 34, bottom: 34 };
const ticks = 4;

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}

/** Up to a number that is easy to read: 1, 2 or 5 times a power of ten. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);

/** A line chart as an SVG element. Pure: the same data gives the same text. */
export function lineChart({ title, unit, series, limit, marks }: ChartOptions): string {
  const points = series.flatMap((entry) => entry.points);
  const maxX = Math.max(1, ...points.map(([x]) => x));
  const maxY = niceCeiling(Math.max(limit?.value ?? 0, ...points.map(([, y]) => y)));
  const x = (seconds: number) => margin.left + (seconds / maxX) * (width - margin.left - margin.right);
  const y = (value: number) => height - margin.bottom - (value / maxY) * (height - margin.top - margin.bottom);
  const grid = Array.from({ length: ticks + 1 }, (_, at) => gridLine((maxY * at) / ticks, y));
  const axis = Array.from({ length: ticks + 1 }, (_, at) => timeLabel((maxX * at) / ticks, x));
  const lines = series.map(({ color, points: own }) => {
    const path = own.map(([at, value]) => `${round(x(at))},${round(y(value))}`).join(' ');
    return `<polyline fill="none" stroke="${color}" stroke-width="2" points="${path}"/>`;
  });
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<text x="${margin.left}" y="16" class="title">${escapeXml(title)} <tspan class="unit">${escapeXml(unit)}</tspan></text>`,
    ...grid,
    ...axis,
    ...(limit === undefined ? [] : limitLine(limit, y)),
    ...(marks?.at ?? []).map(
      (at) => `<line x1="${round(x(at))}" x2="${round(x(at))}" y1="${margin.top}" y2="${height - margin.bottom}" class="mark"/>`,
    ),
    ...lines,
    ...legend(series, limit?.name, marks !== undefined && marks.at.length > 0 ? marks.name : undefined),
    '</svg>',
  ].join('\n');
}

function gridLine(value: number, y: (value: number) => number): string {
  const at = round(y(value));
  const label = showNumber(value);
  return `<line x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}" class="grid"/><text x="${margin.left - 8}" y="${at}" class="label" text-anchor="end" dominant-baseline="middle">${label}</text>`;
}

function timeLabel(seconds: number, x: (seconds: number) => number): string {
  const label = seconds < 120 ? `${round(seconds)} s` : `${round(seconds / 60)} min`;
  return `<text x="${round(x(seconds))}" y="${height - 12}" class="label" text-anchor="middle">${label}</text>`;
}

function limitLine({ value }: { readonly value: number }, y: (value: number) => number): readonly string[] {
  const at = round(y(value));
  return [`<line x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}" class="limit"/>`];
}

function legend(series: readonly ChartSeries[], limit: string | undefined, mark: string | undefined): readonly string[] {
  const entries = [
    ...series.map(({ name, color }) => ({ name, style: `stroke="${color}" stroke-width="3"` })),
    ...(limit === undefined ? [] : [{ name: limit, style: 'class="limit"' }]),
    ...(mark === undefined ? [] : [{ name: mark, style: 'class="mark"' }]),
  ];
  let left = width - margin.right;
  return entries.toReversed().flatMap(({ name, style }) => {
    left -= name.length * 7 + 34;
    return [
      `<line x1="${left}" x2="${left + 18}" y1="12" y2="12" ${style}/>`,
      `<text x="${left + 23}" y="16" class="label">${escapeXml(name)}</text>`,
    ];
  });
}
