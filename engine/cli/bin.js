#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { buildProgram } from './program.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const program = buildProgram(version, async (module, positional, options) => {
  const { register } = await import('tsx/esm/api');
  register();
  const { runCommand } = await import('./run-command.ts');
  process.exitCode = await runCommand(module, positional, options);
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // Commander has printed it; help and version are no errors, everything else is wrong use.
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
