import { main } from '../../engine/cli/main.js';
import { repository } from './run-cli.ts';

/** Runs a command of the command line in this process; gives its exit code and all it printed. */
export async function runMain(args: readonly string[]): Promise<{ readonly code: number; readonly printed: string }> {
  let printed = '';
  const write = (text: string): void => {
    printed += text;
  };
  const code = await main(args, {
    cwd: repository,
    env: process.env,
    write,
    writeError: write,
    terminal: false,
    columns: 100,
    signal: new AbortController().signal,
    // The tests run under it already.
    loadTypeScript: async () => undefined,
  });
  return { code, printed };
}
