import type { Context } from '../context.ts';
import type { RunnerPlace } from './runner.ts';

/**
 * For what a command opens. Ctrl-C stops workers on this machine in order, which takes them a page; what waits for that asks the store as
 * patiently as before. The second Ctrl-C ends the process.
 */
export function patientContext(
  context: Context,
  given: { readonly mode: string; readonly on?: RunnerPlace | undefined },
): Context {
  return given.on === 'local' ? { ...context, signal: new AbortController().signal } : context;
}
