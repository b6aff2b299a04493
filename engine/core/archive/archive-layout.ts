import type { Archive } from '../../../tables/model/archive.ts';

/** Partitions by date, named so that Athena and its like find them: `scans/date=2025-12-17/scan-1.jsonl`. */
export function subjectFile({ subject }: Archive, date: string, id: string): string {
  return `${subject}s/date=${date}/${safeName(id)}.jsonl`;
}

/** The lines of a group, by subject: `symbols-by-scan/date=2025-12-17/`. */
export function groupFolder({ subject }: Archive, group: string, date: string): string {
  return `${group}-by-${subject}/date=${date}/`;
}

export function groupFile(archive: Archive, group: string, date: string, id: string): string {
  return `${groupFolder(archive, group, date)}${safeName(id)}.jsonl`;
}

export const dayFile = (group: string, date: string): string => `${group}-by-day/date=${date}/all.jsonl`;

/** Ids become file names; what may not stand there is written as its code. */
function safeName(id: string): string {
  return id.replaceAll(/[^\w.-]/g, (symbol) => `%${(symbol.codePointAt(0) ?? 0).toString(16)}`);
}

export function printLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
