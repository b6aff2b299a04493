import type { Figure } from './measure.ts';

const width = 960;
const height = 445;
const panel = { top: 100, bottom: 385, width: 360 };
const lefts = [70, 550];
const colours = { scan: '#c2410c', query: '#1d4ed8' } as const;
const names = { scan: 'Scan', query: 'Query / GetItem' } as const;

interface Panel {
  readonly title: string;
  readonly value: (figure: Figure) => number;
  readonly show: (value: number) => string;
}

const panels: readonly Panel[] = [
  { title: 'Read units of one read', value: ({ units }) => units, show: (value) => trimmed(value) },
  { title: 'Latency of one read (ms)', value: ({ latencyMs }) => latencyMs, show: (value) => trimmed(value) },
];

function trimmed(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(0) : value.toFixed(1);
}

/** Growth with the size of the table, both axes logarithmic: the range over all patterns as a band, its median as a line. */
export function drawChart(figures: readonly Figure[]): string {
  const sizes = [...new Set(figures.map(({ size }) => size))].toSorted((a, b) => a - b);
  const patterns = new Set(figures.map(({ pattern }) => pattern)).size;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13">`,
    '<title>One read of a pattern, by Scan and by Query, as its table grows</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${lefts[0]}" y="30" font-size="18" font-weight="600" fill="#111827">One read of a pattern, by Scan and by Query, as its table grows</text>`,
    `<text x="${lefts[0]}" y="52" fill="#4b5563">${patterns} patterns; the band is from the cheapest to the dearest, the line their median. The answers stay the same size.</text>`,
    ...panels.flatMap((one, at) => drawPanel(one, lefts[at] ?? 0, figures, sizes)),
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel(
  { title, value, show }: Panel,
  left: number,
  figures: readonly Figure[],
  sizes: readonly number[],
): readonly string[] {
  const values = figures.map(value);
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  const first = sizes[0] ?? 1;
  const decades = Math.log10((sizes.at(-1) ?? first) / first) || 1;
  const x = (size: number) => left + 20 + (Math.log10(size / first) / decades) * (panel.width - 40);
  const y = (amount: number) => panel.bottom - (Math.log10(amount / low) / Math.log10(high / low)) * (panel.bottom - panel.top);
  const ticks = Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, power) => low * 10 ** power);
  const grid = ticks.map(
    (tick) =>
      `<line x1="${left}" x2="${left + panel.width}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e5e7eb"/><text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end" fill="#6b7280">${tick.toLocaleString('en')}</text>`,
  );
  const columns = sizes.map(
    (size) =>
      `<text x="${x(size)}" y="${panel.bottom + 22}" text-anchor="middle" fill="#6b7280">${size.toLocaleString('en')}</text>`,
  );
  return [
    `<text x="${left}" y="${panel.top - 10}" font-weight="600" fill="#374151">${title}</text>`,
    ...grid,
    ...columns,
    `<text x="${left + panel.width / 2}" y="${panel.bottom + 44}" text-anchor="middle" fill="#6b7280">records in the table</text>`,
    ...(['scan', 'query'] as const).flatMap((way) => drawWay(way, figures, sizes, { x, y, value, show })),
  ];
}

interface Scales extends Pick<Panel, 'value' | 'show'> {
  readonly x: (size: number) => number;
  readonly y: (amount: number) => number;
}

function drawWay(way: 'scan' | 'query', figures: readonly Figure[], sizes: readonly number[], scales: Scales): readonly string[] {
  const { x, y, value, show } = scales;
  const rows = sizes.map((size) => {
    const own = figures.filter((figure) => figure.way === way && figure.size === size).map(value);
    const sorted = own.toSorted((a, b) => a - b);
    return { size, least: sorted[0] ?? 0, middle: sorted[Math.floor(sorted.length / 2)] ?? 0, most: sorted.at(-1) ?? 0 };
  });
  const point = (size: number, amount: number) => `${x(size).toFixed(1)},${y(amount).toFixed(1)}`;
  const band = [...rows.map((row) => point(row.size, row.most)), ...rows.toReversed().map((row) => point(row.size, row.least))];
  const above = way === 'scan';
  const labels = rows.map(({ size, middle, most, least }) => {
    const place = above ? y(most) - 8 : y(least) + 18;
    return `<text x="${x(size)}" y="${place.toFixed(1)}" text-anchor="middle" font-size="12" fill="${colours[way]}">${show(middle)}</text>`;
  });
  const last = rows.at(-1);
  const name =
    last === undefined
      ? []
      : [
          `<text x="${x(last.size)}" y="${(above ? y(last.most) - 24 : y(last.least) + 34).toFixed(1)}" text-anchor="end" font-weight="600" fill="${colours[way]}">${names[way]}</text>`,
        ];
  return [
    `<polygon points="${band.join(' ')}" fill="${colours[way]}" fill-opacity="0.14"/>`,
    `<polyline points="${rows.map((row) => point(row.size, row.middle)).join(' ')}" fill="none" stroke="${colours[way]}" stroke-width="2.5"/>`,
    ...rows.map(
      (row) => `<circle cx="${x(row.size).toFixed(1)}" cy="${y(row.middle).toFixed(1)}" r="3.5" fill="${colours[way]}"/>`,
    ),
    ...labels,
    ...name,
  ];
}
