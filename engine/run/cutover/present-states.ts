import type { ReadEnvironment, ReadStates } from '../read/read-pattern.ts';
import { readState } from './change-state.ts';

/** Applications may know the state of some seconds ago; whoever reads once asks for the present one. */
export function presentStates(environment: ReadEnvironment, signal: AbortSignal): ReadStates {
  return { stateOf: async (asked) => (await readState(environment, asked, signal)).state };
}
