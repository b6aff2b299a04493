export type Cell = string | number;

/** Columns padded to their widest cell; numbers to the right. */
export function renderTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const widths = header.map((title, at) => Math.max(title.length, ...rows.map((row) => String(row[at] ?? '').length)));
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, at) => (typeof cell === 'number' ? String(cell).padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
