import { createReadStream } from 'node:fs';
import { fileProblem } from '../../local/file-problem.ts';
import { readFixtureText } from './read-fixture-text.ts';

/** What is wrong with a fixture's file, as the end of `file…`. */
export class FixtureFault extends Error {}

/** How much of a file is in memory at a time. */
const chunkBytes = 256 * 1_024;

/** A text that may be too large to be held: its pieces, in order, and the whole for whoever has to explain what is wrong with it. */
export interface TextSource {
  readonly pieces: () => AsyncIterable<string> | Iterable<string>;
  readonly whole: () => Promise<string>;
}

/** A fixture's file; of any size it takes the memory of one piece. */
export function fileSource(path: string): TextSource {
  return {
    pieces: () => piecesOf(path),
    whole: async () => {
      const read = await readFixtureText(path);
      if ('problem' in read) throw new FixtureFault(read.problem);
      return read.text;
    },
  };
}

async function* piecesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: chunkBytes })) {
      const text = decoder.decode(bytes as Buffer, { stream: true });
      if (text !== '') yield text;
    }
    const end = decoder.decode();
    if (end !== '') yield end;
  } catch (error) {
    if (!isFault(error)) throw error;
    // The whole file tells what is wrong and where; that it has to be read once more costs nobody anything.
    await fileSource(path).whole();
    throw error;
  }
}

function isFault(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' || code === 'ENOENT' || fileProblem(error) !== undefined;
}

/** The lines of a text, without their ends. */
export async function* linesOf({ pieces }: TextSource): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces()) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
