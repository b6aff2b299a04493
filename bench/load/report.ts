export interface Row {
  readonly place: string;
  readonly contender: string;
  readonly itemsPerSecond: number;
  readonly cpuMicrosPerItem: number;
  readonly peakMegabytes: number;
  /** Undefined against the stub, which keeps nothing. */
  readonly lost: number | undefined;
  /** What the server took of the processor, where it is the bench's own. */
  readonly serverMicrosPerItem: number | undefined;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? (sorted[Math.floor(middle)] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = header.map((name, at) => Math.max(name.length, ...lines.map((line) => (line[at] ?? '').length)));
  const print = (line: readonly string[]): string =>
    line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  return [header, widths.map((width) => '-'.repeat(width)), ...lines].map(print).join('\n');
}

export function rowCells(row: Row, reference: Row | undefined): readonly string[] {
  return [
    row.place,
    row.contender,
    Math.round(row.itemsPerSecond).toLocaleString('en'),
    reference === undefined ? '' : (row.itemsPerSecond / reference.itemsPerSecond).toFixed(2),
    row.cpuMicrosPerItem.toFixed(1),
    row.peakMegabytes.toFixed(0),
    row.lost === undefined ? '' : String(row.lost),
    row.serverMicrosPerItem === undefined ? '' : row.serverMicrosPerItem.toFixed(1),
  ];
}

export const rowHeader = ['place', 'contender', 'items/s', 'of raw', 'CPU µs/item', 'peak MB', 'lost', 'server µs/item'];
