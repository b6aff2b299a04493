import { TablewrightError } from '../../../tables/model/error.ts';
import { type FileCodec, TruncatedOrForeign } from '../../core/transfer/codec.ts';
import { type ExportLine, parseLine } from '../../core/transfer/export-line.ts';
import { maxLineBytes, spareLines } from '../../core/transfer/line-limits.ts';
import type { ItemScanner } from '../../core/transfer/scan-item.ts';
import type { ExportFile } from './open-export.ts';

/** A line of a data file by its number, from 1; blank ones say nothing. */
export interface NumberedLine {
  readonly line: number;
  readonly content: ExportLine | undefined;
}

/**
 * The lines of a data file behind the first `skip`, some hundreds at a time. Its MD5 and its number of items are compared with
 * the manifest at the end; a line that is none ends it at once, with file and line.
 */
export async function* readLines(
  file: ExportFile,
  codec: FileCodec,
  skip: number,
  signal?: AbortSignal,
  scan?: ItemScanner,
): AsyncGenerator<readonly NumberedLine[]> {
  const digest = codec.md5();
  const counted = { line: 0, items: 0 };
  const chunks = await file.store.read(file.name, signal);
  if (chunks === undefined) throw brokenFile(file, 'missing');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let restBytes = 0;
  try {
    for await (const chunk of codec.unpack(tapped(chunks, (bytes) => digest.update(bytes)))) {
      signal?.throwIfAborted();
      const text = decoder.decode(chunk, { stream: true });
      if (!text.includes('\n')) {
        rest += text;
        restBytes += chunk.byteLength;
        if (restBytes > maxLineBytes) throw brokenFile(file, tooLong, counted.line + 1);
        continue;
      }
      const texts = (rest + text).split('\n');
      rest = texts.pop() ?? '';
      restBytes = Buffer.byteLength(rest);
      yield numbered(file, texts, counted, skip, scan);
    }
    rest += decoder.decode();
  } catch (error) {
    throw explained(file, counted.line, error);
  }
  if (rest !== '') yield numbered(file, [rest], counted, skip, scan);
  const found = digest.base64();
  if (found !== file.md5) throw brokenFile(file, `its MD5 is ${found}, the manifest says ${file.md5}`);
  if (counted.items !== file.itemCount) {
    throw brokenFile(file, `${counted.items} items, the manifest says ${file.itemCount}`);
  }
}

function numbered(
  file: ExportFile,
  texts: readonly string[],
  counted: { line: number; items: number },
  skip: number,
  scan: ItemScanner | undefined,
): readonly NumberedLine[] {
  const lines: NumberedLine[] = [];
  for (const text of texts) {
    counted.line += 1;
    const blank = text === '' || text.trim() === '';
    if (!blank) counted.items += 1;
    if (counted.items > file.itemCount || counted.line > file.itemCount + spareLines) throw tooMany(file, counted.line);
    if (counted.line <= skip) continue;
    lines.push({ line: counted.line, content: blank ? undefined : contentOf(file, counted.line, text, scan) });
  }
  return lines;
}

const tooLong = `expected a line of at most ${maxLineBytes / 1_024 ** 2} MB, found a longer one`;

/** What is packed into few bytes may be without end: it is read no further than the manifest says. */
function tooMany(file: ExportFile, line: number): TablewrightError {
  return brokenFile(file, `expected ${file.itemCount} items as the manifest says, found more lines`, line);
}

function contentOf(file: ExportFile, line: number, text: string, scan: ItemScanner | undefined): ExportLine {
  const parsed = parseLine(text, scan);
  if (!('problem' in parsed)) return parsed;
  throw brokenFile(file, parsed.problem, line);
}

async function* tapped(chunks: AsyncIterable<Uint8Array>, tap: (bytes: Uint8Array) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    tap(chunk);
    yield chunk;
  }
}

function explained(file: ExportFile, line: number, error: unknown): unknown {
  if (error instanceof TruncatedOrForeign) {
    return brokenFile(file, `${error.message}${error.truncated ? ` after line ${line}` : ''}`);
  }
  const isDecoding = error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
  return isDecoding ? brokenFile(file, 'expected UTF-8 text', line + 1) : error;
}

function brokenFile(file: ExportFile, problem: string, line?: number): TablewrightError {
  const place = line === undefined ? file.shown : `${file.shown}:${line}`;
  return new TablewrightError('BAD_EXPORT', `${place}: ${problem}`, {
    next: 'What was written before this place is recorded; with a sound copy of the file the same command goes on there.',
  });
}
