import { spawn } from 'node:child_process';
import type { Context } from './context.ts';

/** Programs that open an address with whatever the user has chosen for it. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/** Opens the link where a person sits at a terminal; without one, or without such a program, the printed link is enough. */
export function openBrowser({ ask, env }: Pick<Context, 'ask' | 'env'>, link: string): void {
  const [program, ...first] = openers[process.platform] ?? [];
  const hasScreen = process.platform !== 'linux' || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  if (program === undefined || ask === undefined || !hasScreen || env.CI !== undefined) return;
  const child = spawn(program, [...first, link], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
