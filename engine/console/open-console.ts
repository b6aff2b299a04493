import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { TablewrightError } from '../../tables/model/error.ts';
import { consoleApp } from './app.ts';
import { bundlePages } from './bundle.ts';
import type { ConsoleEnvironment } from './console-environment.ts';
import { ConsoleGuard, consoleHost } from './guard.ts';

export interface OpenConsole {
  /** With the token in its fragment: whoever has it may look. */
  readonly link: string;
  close(): Promise<void>;
}

/** Serves the console on this machine alone, on the given port or any free one. */
export async function openConsole(environment: ConsoleEnvironment, port = 0): Promise<OpenConsole> {
  let bound = port;
  const guard = new ConsoleGuard(() => bound);
  const bundle = bundlePages();
  // Told to whoever asks for the page; nobody may ever ask.
  bundle.catch(() => undefined);
  const app = consoleApp(environment, guard, bundle);
  const server = serve({ fetch: app.fetch, hostname: consoleHost, port }) as Server;
  bound = await boundPort(server, port);
  // A page that is made before it is asked for is there at once.
  await bundle;
  return {
    link: `http://${consoleHost}:${bound}/#token=${guard.token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Pages that watch would keep it open for ever.
        server.closeAllConnections();
      }),
  };
}

function boundPort(server: Server, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return reject(error);
      const why = error.code === 'EACCES' ? 'may not be used' : 'is taken';
      const next = 'Choose another with --port, or leave it out for any free one.';
      return reject(new TablewrightError('PORT_TAKEN', `port ${wanted} of ${consoleHost} ${why}`, { cause: error, next }));
    });
    const told = (): void => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : wanted);
    };
    if (server.listening) told();
    else server.once('listening', told);
  });
}
