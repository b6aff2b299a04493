import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DeadLetter, printDeadLetter } from '../core/write/dead-letter.ts';
import { makeFolder } from './make-folder.ts';

/** A file of dead letters, one JSON line each. It is made with the first letter: no failure, no file. */
export interface DeadLetterFile {
  readonly path: string;
  write(letter: DeadLetter): Promise<void>;
  close(): Promise<void>;
}

/** Letters are added at the end. The file holds whole items, so only its owner may read it. */
export function deadLetterFile(path: string): DeadLetterFile {
  let opened: Promise<FileHandle> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const append = async (line: string): Promise<void> => {
    opened ??= makeFolder(dirname(path)).then(() => open(path, 'a', 0o600));
    const file = await opened;
    await file.appendFile(line);
    // The caller goes on as if the request were dealt with, so the letter must outlive a crash.
    await file.datasync();
  };
  return {
    path,
    write(letter) {
      const mine = last.then(() => append(`${printDeadLetter(letter)}\n`));
      last = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      await last;
      await (await opened)?.close();
    },
  };
}
