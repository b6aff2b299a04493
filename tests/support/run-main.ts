import { main } from '../../engine/cli/main.js';
import type { Surroundings } from '../../engine/cli/surroundings.ts';
import { checkJsonLines } from './check-json-lines.ts';
import type { CliResult } from './run-cli.ts';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The answers of the person at the terminal, in order; there is no terminal when left out. */
  readonly answers?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Runs a command in this process, with its output caught: a hundred of them take no longer than one process. */
export async function runMain(cwd: string, args: readonly string[], options: RunOptions = {}): Promise<CliResult> {
  const { env = {}, answers, signal = new AbortController().signal } = options;
  const printed = { stdout: '', stderr: '' };
  const left = [...(answers ?? [])];
  const ask = async (question: string): Promise<string> => {
    printed.stderr += `${question}\n`;
    return left.shift() ?? '';
  };
  const surroundings: Surroundings = {
    cwd,
    env,
    write: (text) => {
      printed.stdout += text;
    },
    writeError: (text) => {
      printed.stderr += text;
    },
    ...(answers === undefined ? {} : { ask }),
    signal,
    // The tests run with it already.
    loadTypeScript: async () => undefined,
  };
  const code = await main(args, surroundings);
  checkJsonLines(args, printed.stdout, printed.stderr);
  return { code, ...printed };
}
