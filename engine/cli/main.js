import { readFileSync } from 'node:fs';
import { commands, groups } from './commands/all.js';
import { exitCodes } from './exit-codes.js';
import { failureEvent, failureText } from './failure.js';
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
  const reading = readCommand(args, commands, surroundings.env);
  if (reading.kind === 'run') {
    await surroundings.loadTypeScript();
    const { runCommand } = await import('./run-command.ts');
    return runCommand(reading, surroundings);
  }
  if (reading.kind === 'wrong') {
    const { json, failure } = reading;
    writeError(`${json ? JSON.stringify(failureEvent(failure)) : failureText(failure)}\n`);
    return exitCodes.misuse;
  }
  if (reading.kind === 'version') {
    write(`${JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version}\n`);
    return exitCodes.done;
  }
  (reading.wrong ? writeError : write)(helpText(reading.words, { commands, groups, columns }));
  return reading.wrong ? exitCodes.misuse : exitCodes.done;
}
