import type { Plan } from './plan.ts';

const width = 640;
const height = 300;
const edge = { left: 80, right: 20, top: 30, bottom: 50 };

/** Write units per second over workers, both by powers of ten: what an account begins with, and what it may ask for. */
export function drawScale(usual: readonly Plan[], raised: readonly Plan[]): string {
  const all = [...usual, ...raised];
  const most = { workers: Math.max(...all.map(({ workers }) => workers)), units: 10 ** 6.2 };
  const least = { workers: 1, units: 10_000 };
  const along = (value: number, from: number, to: number): number =>
    (Math.log10(value) - Math.log10(from)) / (Math.log10(to) - Math.log10(from));
  const x = (workers: number): number =>
    edge.left + along(workers, least.workers, most.workers) * (width - edge.left - edge.right);
  const y = (units: number): number =>
    height - edge.bottom - along(units, least.units, most.units) * (height - edge.top - edge.bottom);
  const line = (plans: readonly Plan[], colour: string, dash: string): string => {
    const points = plans.map(
      ({ workers, writeUnitsPerSecond }) => `${x(workers).toFixed(1)},${y(writeUnitsPerSecond).toFixed(1)}`,
    );
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"${dash}/>`;
  };
  const text = (at: number, down: number, says: string, anchor = 'middle'): string =>
    `<text x="${at.toFixed(1)}" y="${down.toFixed(1)}" text-anchor="${anchor}">${says}</text>`;
  const ticks = [
    ...[1, 10, 100, 1_000, 10_000].map((value) => text(x(value), height - edge.bottom + 18, value.toLocaleString('en'))),
    ...[10_000, 100_000, 1_000_000].map((value) => text(edge.left - 8, y(value) + 4, value.toLocaleString('en'), 'end')),
  ];
  const grid = [10_000, 100_000, 1_000_000].map(
    (value) =>
      `<line x1="${edge.left}" x2="${width - edge.right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="#ddd"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#333">`,
    '<title>Write units per second over workers</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...grid,
    line(raised, '#2a6fb0', ' stroke-dasharray="6 4"'),
    line(usual, '#b0452a', ''),
    ...ticks,
    text(width / 2, height - 8, 'workers'),
    text(edge.left, 18, 'write units per second; line: default quotas, dashes: raised', 'start'),
    '</svg>',
    '',
  ].join('\n');
}
