import { main } from '../../engine/cli/main.js';
import type { Surroundings } from '../../engine/cli/surroundings.ts';

export interface ServedConsole {
  /** With the token. */
  readonly link: string;
  /** Without a path: `http://127.0.0.1:4711`. */
  readonly origin: string;
  readonly token: string;
  /** A cookie of a session, as a browser gets it. */
  openSession(): Promise<string>;
  /** A request with a session, as the page sends it. */
  ask(
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
  /** As Ctrl-C does; the exit code. */
  close(): Promise<number>;
}

/** The command itself, in this process. */
export async function serveConsole(cwd: string, args: readonly string[] = []): Promise<ServedConsole> {
  const stop = new AbortController();
  let printed = '';
  let told: (link: string) => void = () => undefined;
  const linked = new Promise<string>((resolve) => {
    told = resolve;
  });
  const write = (text: string): void => {
    printed += text;
    const link = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/.exec(printed)?.[0];
    if (link !== undefined) told(link);
  };
  const surroundings: Surroundings = {
    ...{ cwd, env: {}, write, writeError: write, signal: stop.signal },
    loadTypeScript: async () => undefined,
  };
  const ended = main(['console', ...args], surroundings);
  const early = ended.then((code) => Promise.reject(new Error(`console ended with ${code}: ${printed}`)));
  const link = await Promise.race([linked, early]);
  early.catch(() => undefined);
  const { origin, hash } = new URL(link);
  const token = hash.slice('#token='.length);
  const openSession = async (): Promise<string> => {
    const headers = { 'content-type': 'application/json', origin };
    const response = await fetch(`${origin}/api/session`, { method: 'POST', headers, body: JSON.stringify({ token }) });
    return response.headers.get('set-cookie') ?? '';
  };
  return {
    ...{ link, origin, token, openSession },
    ask: async (path, { body, headers = {} } = {}) => {
      const cookie = (await openSession()).split(';')[0] ?? '';
      const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      return fetch(origin + path, { ...post, headers: { cookie, 'content-type': 'application/json', ...headers } });
    },
    close: () => {
      stop.abort();
      return ended;
    },
  };
}
