import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { fileProblem } from '../../local/file-problem.ts';

/** The text of a fixture, or what is wrong with its file as the end of `file…`. */
export type FixtureText = { readonly text: string } | { readonly problem: string };

/** Reads a fixture. Bytes that are no UTF-8 are refused: decoded all the same they would be stored as U+FFFD. */
export async function readFixtureText(path: string): Promise<FixtureText> {
  try {
    const bytes = await readFile(path);
    return isUtf8(bytes) ? { text: bytes.toString() } : { problem: notUtf8(bytes) };
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'the file is not there; its seed.ts names it' : fileProblem(error)?.why;
    if (why === undefined) throw error;
    return { problem: `: ${why}` };
  }
}

function notUtf8(bytes: Buffer): string {
  const repaired = Buffer.from(bytes.toString());
  // Up to the first byte that is none the text comes back as it was.
  const at = bytes.findIndex((byte, place) => byte !== repaired[place]);
  const before = bytes.subarray(0, at).toString();
  const line = before.split('\n');
  const found = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  const column = [...(line.at(-1) ?? '')].length + 1;
  return `:${line.length}:${column}: expected UTF-8 text, found the byte 0x${found}; save the file as UTF-8`;
}
