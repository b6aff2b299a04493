import { commands, groups } from './commands/all.js';
import { answerShell, completeFlag } from './complete/answer-shell.js';
import { exitCodes } from './exit-codes.js';
import { failureEvent, failureText } from './failure.js';
import { jsonVersion } from './json-version.js';
import { missingPackageFailure } from './missing-packages.js';
import { packageFile } from './package-file.js';
import { fold } from './show/fold.js';
import { painter, paintLines, wantsColour } from './show/paint.js';
import { helpText } from './spec/help.js';
import { readCommand } from './spec/read-command.js';

/**
 * The command line as a function: arguments in, exit code out; everything else it touches comes with `surroundings`. Plain
 * JavaScript up to here: `--help` and wrong use answer without loading the compiler or the SDK.
 * @param {readonly string[]} args
 * @param {import('./surroundings.ts').Surroundings} surroundings
 * @returns {Promise<number>}
 */
export async function main(args, surroundings) {
  const { write, writeError, results, errors, env } = surroundings;
  /** @param {import('./failure.js').Failure} failure @param {boolean} json @param {number} code */
  const fail = (failure, json, code) => {
    const colour = wantsColour(errors?.terminal ?? false, env, args.includes('--no-color'));
    const told = failureText(failure);
    const text = () => paintLines(errors?.terminal === true ? fold(told, errors.columns) : told, painter(colour));
    writeError(`${json ? JSON.stringify({ version: jsonVersion, ...failureEvent(failure) }) : text()}\n`);
    return code;
  };
  if (args[0] === completeFlag) {
    await answerShell(args.slice(1), surroundings);
    return exitCodes.done;
  }
  const reading = readCommand(args, commands, surroundings.env);
  if (reading.kind === 'run') {
    if (reading.spec.memory === 'steady') surroundings.holdMemory?.();
    const loaded = await load(surroundings, reading.spec);
    if ('runCommand' in loaded) return loaded.runCommand(reading, surroundings);
    return fail(loaded, reading.common.json, exitCodes.misuse);
  }
  if (reading.kind === 'wrong') {
    return fail(reading.failure, reading.json, exitCodes.misuse);
  }
  if (reading.kind === 'version') {
    write(`${packageFile().version}\n`);
    return exitCodes.done;
  }
  if (reading.wrong && reading.json) return fail(incomplete(reading.words), true, exitCodes.misuse);
  const { columns } = (reading.wrong ? errors : results) ?? { columns: 80 };
  (reading.wrong ? writeError : write)(helpText(reading.words, { commands, groups, columns }));
  return reading.wrong ? exitCodes.misuse : exitCodes.done;
}

/** No command, or the first word of one: people get the help, programs a line. @param {string} words */
function incomplete(words) {
  const own = commands.filter((spec) => words === '' || spec.words.startsWith(`${words} `)).map((spec) => spec.words);
  const summary = words === '' ? 'expected a command, found none' : `expected a command that begins with ${words}`;
  const next = `'tablewright ${words === '' ? '' : `${words} `}--help' lists what there is.`;
  return { code: 'BAD_ARGUMENT', summary, problems: own, next };
}

/**
 * The rest of the command line, which needs packages that an application does without.
 * @param {import('./surroundings.ts').Surroundings} surroundings
 * @param {import('./spec/command-spec.ts').CommandSpec} spec
 * @returns {Promise<import('./failure.js').Failure | typeof import('./run-command.ts')>}
 */
async function load(surroundings, { withoutProject }) {
  try {
    // Where there is no project yet there is no TypeScript to load, and nothing that could.
    await surroundings.loadTypeScript().catch((error) => {
      if (!withoutProject) throw error;
    });
    return await import('./run-command.ts');
  } catch (error) {
    const failure = missingPackageFailure(error, surroundings.cwd);
    if (failure === undefined) throw error;
    return failure;
  }
}
