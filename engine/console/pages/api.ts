import { useEffect, useState } from 'preact/hooks';
import type { Trouble } from '../wire-types.ts';

/** Thrown for every answer that is none; the server says it as a command would. */
export class Refused extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.message);
    this.trouble = trouble;
  }
}

export const troubleOf = (error: unknown): Trouble =>
  error instanceof Refused
    ? error.trouble
    : {
        error: 'NO_ANSWER',
        message: 'The console does not answer.',
        problems: [],
        next: 'Is the command that serves it still running?',
      };

export async function askFor<T>(path: string, signal?: AbortSignal): Promise<T> {
  return read<T>(await fetch(path, signal === undefined ? {} : { signal }));
}

export async function send<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'Content-Type': 'application/json' };
  return read<T>(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function read<T>(response: Response): Promise<T> {
  const value = await response.json();
  if (!response.ok) throw new Refused(value as Trouble);
  return value as T;
}

export interface Asked<T> {
  readonly value: T | undefined;
  readonly trouble: Trouble | undefined;
  readonly again: () => void;
}

/** An answer that comes when the part of the page that shows it does; asked again when the path changes. */
export function useAnswer<T>(path: string | undefined): Asked<T> {
  const [state, setState] = useState<{ path?: string; value?: T; trouble?: Trouble }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const left = new AbortController();
    askFor<T>(path, left.signal).then(
      (value) => left.signal.aborted || setState({ path, value }),
      (error) => left.signal.aborted || setState({ path, trouble: troubleOf(error) }),
    );
    // Who has left the page waits for no answer: long reads end with it.
    return () => left.abort();
  }, [path, round]);
  const isOwn = state.path === path;
  return {
    value: isOwn ? state.value : undefined,
    trouble: isOwn ? state.trouble : undefined,
    again: () => setRound((before) => before + 1),
  };
}
