import { TablewrightError } from '../../../tables/model/error.ts';
import { catalogueOf, type Project } from '../../../tables/model/project.ts';
import { commands } from '../commands/all.js';
import type { Context } from '../context.ts';
import { Output } from '../output.ts';
import { readCommand } from '../spec/read-command.js';

/** What Lambda tells a function about its call (Lambda Developer Guide, "Using the Lambda context object"). */
export interface CallContext {
  getRemainingTimeInMillis(): number;
}

/** Time to end in: a request under way is finished, what was done is kept, and the log gets its last line. */
const marginMs = 10_000;

/** What a command gets in a function: the environment says which stack, the log is all that it can print to. */
export function functionContext(
  project: Project,
  words: readonly string[],
  signal: AbortSignal,
): { readonly context: Context; readonly given: unknown } {
  const { env } = process;
  const stack = env.TABLEWRIGHT_STACK ?? '';
  const reading = readCommand([...words, '--stack', stack, '--json'], commands, env);
  if (reading.kind !== 'run') throw new TablewrightError('BAD_CONFIG', `TABLEWRIGHT_STACK: expected the stack, found ${stack}`);
  const root = env.LAMBDA_TASK_ROOT ?? process.cwd();
  const context: Context = {
    common: reading.common,
    output: new Output({ json: true, quiet: false, write: print, writeError: print }),
    signal,
    cwd: root,
    env,
    root,
    project,
    catalogue: catalogueOf(project),
  };
  return { context, given: reading.given };
}

/** Work that is asked to end in time before Lambda would kill it. The timer ends with it: Lambda freezes the process between two calls. */
export async function beforeDeadline<T>(call: CallContext, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), Math.max(1, call.getRemainingTimeInMillis() - marginMs));
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
  }
}

const print = (text: string): void => void process.stdout.write(text);
