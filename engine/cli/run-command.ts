import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TablewrightError } from '../../tables/model/error.ts';
import { prove } from '../../tables/model/prove.ts';
import { tables as catalogue } from '../../tables/tables.ts';
import type { EngineName } from '../local/choose-engine.ts';
import type { CommandFunction, CommonOptions, Context } from './context.ts';
import { findEndpoints } from './endpoints.ts';
import { Output } from './output.ts';
import { localStack } from './read-stack.ts';

export const interruptedExitCode = 130;

/** Runs one command and gives its exit code. The first Ctrl-C asks it to stop, the second ends the process. */
export async function runCommand(
  module: string,
  positional: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): Promise<number> {
  const common: CommonOptions = {
    stack: String(options.stack),
    ...(typeof options.endpoint === 'string' ? { endpoint: options.endpoint } : {}),
    ...(options.engine === undefined ? {} : { engine: options.engine as EngineName }),
    json: options.json === true,
    quiet: options.quiet === true,
    debug: options.debug === true,
  };
  const output = new Output({
    json: common.json,
    quiet: common.quiet,
    write: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80,
  });
  // Every request in flight listens to a signal; the usual limit of ten is no sign of a leak here.
  setMaxListeners(0);
  const interrupt = new AbortController();

  const stop = () => {
    if (interrupt.signal.aborted) process.exit(interruptedExitCode);
    interrupt.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    checkEngine(common);
    const endpoints = findEndpoints(common, process.env);
    checkCatalogue();
    const { default: command } = (await import(`./commands/${module}.ts`)) as { readonly default: CommandFunction };
    const context: Context = { common, endpoints, output, signal: interrupt.signal, root: findRoot(process.cwd()), catalogue };
    return await command(context, positional, options);
  } catch (error) {
    return report(error, common, output, interrupt.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** The nearest folder upwards that holds the project's Pulumi.yaml; the current one when there is none. */
function findRoot(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'Pulumi.yaml'))) return at;
    if (at === dirname(at)) return folder;
  }
}

function checkEngine({ engine, endpoint, stack }: CommonOptions): void {
  if (engine === undefined || (endpoint === undefined && stack === localStack)) return;
  const other = endpoint === undefined ? `--stack ${stack}` : '--endpoint';
  throw new TablewrightError('BAD_ARGUMENT', `--engine ${engine} is for the local stack; ${other} says where the tables are`, {
    next: `Leave out --engine or ${other}.`,
  });
}

/** A catalogue whose patterns are not proven is not worked with. */
function checkCatalogue(): void {
  const problems = prove(catalogue);
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_CATALOGUE', 'the catalogue in tables/ does not hold', {
    problems,
    next: 'Correct the table file that each line names.',
  });
}

function report(error: unknown, common: CommonOptions, output: Output, signal: AbortSignal): number {
  if (signal.aborted && !(error instanceof TablewrightError)) {
    output.error({ error: 'INTERRUPTED' }, 'Interrupted.');
    return interruptedExitCode;
  }
  if (!(error instanceof TablewrightError)) {
    const known = error instanceof Error ? error : new Error(String(error));
    const next = 'This is a fault of tablewright itself; run the command again with --debug and report what it prints.';
    output.error({ error: 'INTERNAL', message: known.message, next }, `Unexpected error: ${known.message}\n${next}`);
    if (common.debug) output.error({ stack: known.stack }, String(known.stack));
    return 1;
  }
  const { code, message, problems, next } = error;
  const summary = problems.length === 0 ? message : (message.split('\n')[0] ?? '');
  output.error(
    { error: code, message: summary, problems, next },
    `${code}: ${message}${next === undefined ? '' : `\n→ ${next}`}`,
  );
  if (common.debug)
    output.error({ stack: error.stack, cause: String(error.cause) }, `${error.stack}\ncause: ${String(error.cause)}`);
  return error.exitCode;
}
