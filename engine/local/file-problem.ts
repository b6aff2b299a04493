import { TablewrightError } from '../../tables/model/error.ts';

/** What the system says of a file (errno(3)), and what helps. */
const reasons: Readonly<Record<string, readonly [why: string, next: string]>> = {
  EACCES: ['this user may not read or write it', 'Give this user the right to it, or name another place.'],
  EPERM: ['this user may not read or write it', 'Give this user the right to it, or name another place.'],
  EROFS: ['its file system is read-only', 'Name a place that can be written to.'],
  ENOSPC: ['there is no room left on its disk', 'Make room, then run the command again.'],
  EDQUOT: ['this user has no room left on its disk', 'Make room, then run the command again.'],
  EFBIG: ['it would become larger than a file may be', 'Raise the limit, or name another place.'],
  EISDIR: ['it is a folder, and a file is needed', 'Name a file.'],
  ENOTDIR: ['a part of its path is a file, and a folder is needed', 'Move that file away, or name another place.'],
  EEXIST: ['a file is there already, and a new one or a folder is needed', 'Move that file away.'],
  ENOENT: ['it is not there, or its folder is not', 'Check its name.'],
  ENAMETOOLONG: ['its name is too long', 'Give a shorter name.'],
  ELOOP: ['its links lead in a circle', 'Name the file itself.'],
  EBUSY: ['another program is using it', 'Stop that program, then run the command again.'],
  EIO: ['the disk cannot be read or written', 'Check the disk.'],
  EMFILE: ['this process has too many files open', 'Raise the limit (ulimit -n), then run the command again.'],
  ENFILE: ['the system has too many files open', 'Close programs, then run the command again.'],
};

export interface FileProblem {
  readonly path: string | undefined;
  /** With the system's own name of it. */
  readonly why: string;
  readonly next: string;
}

/** What is wrong with a file, from the error of a call to the file system; undefined for any other error. */
export function fileProblem(error: unknown): FileProblem | undefined {
  const { code = '', path, syscall, dest } = (error ?? {}) as NodeJS.ErrnoException & { readonly dest?: string };
  const reason = reasons[code];
  // Errors of sockets and child processes have such codes too.
  if (reason === undefined || syscall === undefined || /connect|listen|spawn|getaddrinfo/.test(syscall)) return undefined;
  return { path: dest ?? path, why: `${reason[0]} (${code})`, next: reason[1] };
}

/** An error of the file system as one of ours; any other as it is. */
export function fileFailure(error: unknown): unknown {
  const problem = error instanceof TablewrightError ? undefined : fileProblem(error);
  if (problem === undefined) return error;
  const { path = 'a file', why, next } = problem;
  return new TablewrightError('FILE_FAILED', `${path}: ${why}`, { cause: error, next });
}

/** Works on a file that an option names; what the system has against it is told as wrong use of the option. */
export async function withOptionFile<T>(option: string, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = fileProblem(error);
    if (problem === undefined || /ENOSPC|EDQUOT|EIO/.test(problem.why)) throw error;
    throw new TablewrightError('BAD_ARGUMENT', `${option} ${file}: ${problem.why}`, { cause: error, next: problem.next });
  }
}
