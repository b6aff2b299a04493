import { commands, groups } from './commands/all.js';
import { exitCodes } from './exit-codes.js';
import { failureEvent, failureText } from './failure.js';
import { missingPackageFailure } from './missing-packages.js';
import { packageFile } from './package-file.js';
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
  const { write, writeError, columns } = surroundings;
  /** @param {import('./failure.js').Failure} failure @param {boolean} json @param {number} code */
  const fail = (failure, json, code) => {
    writeError(`${json ? JSON.stringify(failureEvent(failure)) : failureText(failure)}\n`);
    return code;
  };
  const reading = readCommand(args, commands, surroundings.env);
  if (reading.kind === 'run') {
    const loaded = await load(surroundings);
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
  (reading.wrong ? writeError : write)(helpText(reading.words, { commands, groups, columns }));
  return reading.wrong ? exitCodes.misuse : exitCodes.done;
}

/**
 * The rest of the command line, which needs packages that an application does without.
 * @param {import('./surroundings.ts').Surroundings} surroundings
 * @returns {Promise<import('./failure.js').Failure | typeof import('./run-command.ts')>}
 */
async function load(surroundings) {
  try {
    await surroundings.loadTypeScript();
    return await import('./run-command.ts');
  } catch (error) {
    const failure = missingPackageFailure(error);
    if (failure === undefined) throw error;
    return failure;
  }
}
