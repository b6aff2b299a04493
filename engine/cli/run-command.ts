import { setMaxListeners } from 'node:events';
import { TablewrightError } from '../../tables/model/error.ts';
import { fileFailure } from '../local/file-problem.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.js';
import { failureEvent, failureText } from './failure.js';
import { type FailedCommand, failureOfError } from './failure-of.ts';
import { missingPackageFailure } from './missing-packages.js';
import { Output } from './output.ts';
import { loadProject, noProjectYet } from './project/load-project.ts';
import { wantsColour } from './show/paint.js';
import { pipe, type Screen } from './show/screen.ts';
import type { ReadWords } from './spec/command-spec.ts';
import type { Surroundings } from './surroundings.ts';

type Request = Extract<ReadWords, { readonly kind: 'run' }>;
type AnyAction = (context: Context, given: Request['given']) => Promise<number>;

/** Runs one command and gives its exit code. */
export async function runCommand({ spec, common, given }: Request, surroundings: Surroundings): Promise<number> {
  const { cwd, env, ask, signal } = surroundings;
  const output = outputOf(common, surroundings);
  // Every request in flight listens to a signal, this one or one made later; the usual limit of ten is no sign of a leak here.
  setMaxListeners(0);
  setMaxListeners(0, signal);
  let project = '';
  try {
    const loaded = spec.withoutProject ? noProjectYet(cwd) : await loadProject(cwd);
    project = loaded.project.name;
    const module = (await import(`./commands/${spec.words.replaceAll(' ', '-')}.ts`)) as { readonly default: AnyAction };
    const context = { common, output, signal, cwd, env, ...loaded, ...(ask === undefined ? {} : { ask }) };
    return await module.default(context, given);
  } catch (error) {
    const failed = { words: spec.words, common, given, project };
    const lacking = missingPackageFailure(error, cwd);
    if (lacking === undefined || signal.aborted) return report(fileFailure(error), failed, output, signal);
    output.error(failureEvent(lacking), failureText(lacking));
    return exitCodes.misuse;
  }
}

function outputOf({ json, quiet, noColor }: Request['common'], surroundings: Surroundings): Output {
  const { write, writeError, results, errors, env } = surroundings;
  const colourOf = (screen: Screen = pipe): boolean => wantsColour(screen.terminal, env, noColor);
  const colour = { results: colourOf(results), errors: colourOf(errors) };
  return new Output({ json, quiet, write, writeError, results, errors, colour });
}

function report(error: unknown, failed: FailedCommand, output: Output, signal: AbortSignal): number {
  const { common } = failed;
  if (signal.aborted && !(error instanceof TablewrightError)) {
    const next = 'Run the same command again; what was done is kept.';
    output.error({ error: 'INTERRUPTED', message: 'stopped before it was done', problems: [], next }, `Interrupted.\n→ ${next}`);
    return exitCodes.interrupted;
  }
  if (!(error instanceof TablewrightError)) {
    const known = error instanceof Error ? error : new Error(String(error));
    const next = 'This is a fault of tablewright itself; run the command again with --debug and report what it prints.';
    output.error(
      { error: 'INTERNAL', message: known.message, problems: [], next },
      `Unexpected error: ${known.message}\n${next}`,
    );
    if (common.debug) output.error({ event: 'trace', stack: known.stack }, String(known.stack));
    return exitCodes.failed;
  }
  const failure = failureOfError(error, failed);
  output.error(failureEvent(failure), failureText(failure));
  if (common.debug)
    output.error(
      { event: 'trace', stack: error.stack, cause: String(error.cause) },
      `${error.stack}\ncause: ${String(error.cause)}`,
    );
  return error.exitCode;
}
