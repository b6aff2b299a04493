import { setMaxListeners } from 'node:events';
import { TablewrightError } from '../../tables/model/error.ts';
import { fileFailure } from '../local/file-problem.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.js';
import { failureEvent, failureText } from './failure.js';
import { missingAdvice } from './missing-advice.ts';
import { missingPackageFailure } from './missing-packages.js';
import { Output } from './output.ts';
import { policyAdvice } from './policy-advice.ts';
import { loadProject } from './project/load-project.ts';
import type { ReadWords } from './spec/command-spec.ts';
import type { Surroundings } from './surroundings.ts';

type Request = Extract<ReadWords, { readonly kind: 'run' }>;
type AnyAction = (context: Context, given: Request['given']) => Promise<number>;

/** Runs one command and gives its exit code. */
export async function runCommand({ spec, common, given }: Request, surroundings: Surroundings): Promise<number> {
  const { cwd, env, ask, signal } = surroundings;
  const output = new Output({ ...surroundings, json: common.json, quiet: common.quiet });
  // Every request in flight listens to a signal, this one or one made later; the usual limit of ten is no sign of a leak here.
  setMaxListeners(0);
  setMaxListeners(0, signal);
  try {
    const loaded = await loadProject(cwd);
    const module = (await import(`./commands/${spec.words.replaceAll(' ', '-')}.ts`)) as { readonly default: AnyAction };
    const context = { common, output, signal, cwd, env, ...loaded, ...(ask === undefined ? {} : { ask }) };
    return await module.default(context, given);
  } catch (error) {
    return report(fileFailure(error), { words: spec.words, common, given }, output, signal);
  }
}

function report(
  error: unknown,
  { words, common, given }: Pick<Request, 'common' | 'given'> & { readonly words: string },
  output: Output,
  signal: AbortSignal,
): number {
  if (signal.aborted && !(error instanceof TablewrightError)) {
    const next = 'Run the same command again; what was done is kept.';
    output.error({ error: 'INTERRUPTED', next }, `Interrupted.\n→ ${next}`);
    return exitCodes.interrupted;
  }
  const lacking = missingPackageFailure(error);
  if (lacking !== undefined) {
    output.error(failureEvent(lacking), failureText(lacking));
    return exitCodes.misuse;
  }
  if (!(error instanceof TablewrightError)) {
    const known = error instanceof Error ? error : new Error(String(error));
    const next = 'This is a fault of tablewright itself; run the command again with --debug and report what it prints.';
    output.error({ error: 'INTERNAL', message: known.message, next }, `Unexpected error: ${known.message}\n${next}`);
    if (common.debug) output.error({ stack: known.stack }, String(known.stack));
    return exitCodes.failed;
  }
  const { code, message, problems } = error;
  const next = policyAdvice(error, { words, given, stack: common.stack }) ?? missingAdvice(error, common) ?? error.next;
  const summary = problems.length === 0 ? message : (message.split('\n')[0] ?? '');
  const failure = { code, summary, problems, ...(next === undefined ? {} : { next }) };
  output.error(failureEvent(failure), failureText(failure));
  if (common.debug)
    output.error({ stack: error.stack, cause: String(error.cause) }, `${error.stack}\ncause: ${String(error.cause)}`);
  return error.exitCode;
}
