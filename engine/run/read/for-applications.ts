import { type ErrorCode, TablewrightError } from '../../../tables/model/error.ts';
import type { Store } from '../../core/store/store.ts';

/** What a program can do about a failure of the store, or have done. Commands say it in other words: run it again. */
const nextSteps: Partial<Readonly<Record<ErrorCode, string>>> = {
  THROTTLED: 'Ask again later, or less at once; raise the capacity of the table if it happens often.',
  ANSWER_CUT: 'Ask again: a read changes nothing.',
  STORE_FAILED: 'Look at its cause; a failure of the network or the server may be gone the next time.',
  TABLE_MISSING: "Check the stack and the region that it was opened with; 'tablewright doctor' shows what the stack has.",
  INDEX_MISSING: "Deploy the index first; 'tablewright doctor' shows what the stack has.",
  NO_CREDENTIALS: 'Give the process credentials that AWS takes.',
  CLOCK_SKEW: 'Set the clock of the machine.',
  NOT_DYNAMODB: 'Check the endpoint that it was opened with.',
  NOT_OFFERED: 'Use a server that has it.',
};

/** The store as a program's reader and writer have it: the same calls, whose failures speak to the program. */
export function forApplications(store: Store): Store {
  return Object.fromEntries(
    Object.entries(store).map(([name, call]) => [
      name,
      async (...args: readonly unknown[]) => {
        try {
          return await (call as (...given: readonly unknown[]) => Promise<unknown>)(...args);
        } catch (error) {
          throw spokenTo(error);
        }
      },
    ]),
  ) as unknown as Store;
}

function spokenTo(error: unknown): unknown {
  if (!(error instanceof TablewrightError)) return error;
  const next = nextSteps[error.code] ?? error.next;
  const { repeatable, cause } = error;
  return new TablewrightError(error.code, error.message, {
    cause,
    ...(next === undefined ? {} : { next }),
    ...(repeatable === undefined ? {} : { repeatable }),
  });
}
