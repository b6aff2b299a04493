import type { Item } from '../../../../tables/model/attribute-value.ts';
import { scalarText } from '../../../../tables/model/attribute-value.ts';
import type { PageAnswer, PageStore, ScanRequest } from '../../../core/store/store.ts';
import type { FileCodec } from '../../../core/transfer/codec.ts';
import { printItem } from '../../../core/transfer/export-line.ts';
import type { RawItem } from '../../../core/transfer/split-answer.ts';
import type { ExportFile, OpenExport } from '../open-export.ts';
import { type NumberedLine, readLines } from '../read-lines.ts';

/** Where a segment is in its files. */
interface Reading {
  readonly file: number;
  line: number;
  readonly lines: AsyncGenerator<readonly NumberedLine[]>;
}

/**
 * The files of an export as pages of a table, so that what reads tables reads exports: a segment has every so-manieth file, and goes on by
 * file and line. It costs no read units.
 */
export function filePages(opened: OpenExport, codec: FileCodec): PageStore<RawItem> {
  const readings = new Map<number, Reading>();
  return {
    scan: async (request, signal) => {
      const { Segment: segment = 0, TotalSegments: segments = 1 } = request;
      const files = opened.files.filter((_, at) => at % segments === segment);
      const from = positionOf(request);
      return nextPage(readings, segment, files, from, codec, signal);
    },
  };
}

function positionOf({ ExclusiveStartKey: from }: ScanRequest): { readonly file: number; readonly line: number } {
  return { file: Number(scalarText(from?.file) ?? 0), line: Number(scalarText(from?.line) ?? 0) };
}

async function nextPage(
  readings: Map<number, Reading>,
  segment: number,
  files: readonly ExportFile[],
  from: { readonly file: number; readonly line: number },
  codec: FileCodec,
  signal: AbortSignal | undefined,
): Promise<PageAnswer<RawItem>> {
  const file = files[from.file];
  if (file === undefined) return { items: [], next: undefined, units: 0 };
  let reading = readings.get(segment);
  if (reading?.file !== from.file || reading.line !== from.line) {
    reading = { file: from.file, line: from.line, lines: readLines(file, codec, from.line, signal) };
    readings.set(segment, reading);
  }
  const lines = await someLines(reading);
  if (lines === undefined) {
    const next = from.file + 1 < files.length ? place(from.file + 1, 0) : undefined;
    return { items: [], next, units: 0 };
  }
  reading.line = lines.at(-1)?.line ?? reading.line;
  const items = lines.flatMap(({ content }) => (content?.kind === 'item' ? [printItem(content.item)] : []));
  return { items, next: place(from.file, reading.line), units: 0 };
}

/** The next lines, undefined behind the last; a part of a file need not hold the end of any. */
async function someLines({ lines }: Reading): Promise<readonly NumberedLine[] | undefined> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) return undefined;
    if (value.length > 0) return value;
  }
}

function place(file: number, line: number): Item {
  return { file: { N: String(file) }, line: { N: String(line) } };
}
