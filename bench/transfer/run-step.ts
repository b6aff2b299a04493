import { forkCompiled } from '../fork-compiled.ts';
import type { Measured, Step } from './step.ts';

/** Runs a step in a new process, so that time, processor and memory are its own. */
export function runStep(step: Step): Promise<Measured> {
  const child = forkCompiled('transfer/step-process.ts');
  return new Promise((resolve, reject) => {
    child.once('message', (measured) => resolve(measured as Measured));
    child.once('exit', (code) => reject(new Error(`${step.kind} ended with code ${code}`)));
    child.send(step);
  });
}
