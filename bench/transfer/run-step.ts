import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Measured, Step } from './step.ts';

/** Runs a step in a new process, so that time, processor and memory are its own. */
export function runStep(step: Step): Promise<Measured> {
  const script = fileURLToPath(new URL('./step-process.ts', import.meta.url));
  const child = fork(script, [], { execArgv: ['--import', 'tsx'] });
  return new Promise((resolve, reject) => {
    child.once('message', (measured) => resolve(measured as Measured));
    child.once('exit', (code) => reject(new Error(`${step.kind} ended with code ${code}`)));
    child.send(step);
  });
}
