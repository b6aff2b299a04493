/** Partitions by date, named so that Athena and its like find them. */
export const scanFile = (date: string, scanId: string): string => `scans/date=${date}/${safeName(scanId)}.jsonl`;
export const symbolFile = (date: string, scanId: string): string => `symbols-by-scan/date=${date}/${safeName(scanId)}.jsonl`;
export const timeframeFile = (date: string, scanId: string): string =>
  `timeframes-by-scan/date=${date}/${safeName(scanId)}.jsonl`;
export const symbolFolder = (date: string): string => `symbols-by-scan/date=${date}/`;
export const timeframeFolder = (date: string): string => `timeframes-by-scan/date=${date}/`;
export const symbolDayFile = (date: string): string => `symbols-by-day/date=${date}/all.jsonl`;
export const timeframeDayFile = (date: string): string => `timeframes-by-day/date=${date}/all.jsonl`;

/** Scan ids become file names; what may not stand there is written as its code. */
function safeName(scanId: string): string {
  return scanId.replaceAll(/[^\w.-]/g, (symbol) => `%${(symbol.codePointAt(0) ?? 0).toString(16)}`);
}

export function printLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
