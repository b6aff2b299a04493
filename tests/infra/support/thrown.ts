import { TablewrightError } from '../../../tables/model/error.ts';

/** The error that an action ends in; any other error, or none, fails the test. */
export function thrown(action: () => unknown): TablewrightError {
  try {
    action();
  } catch (error) {
    if (error instanceof TablewrightError) return error;
    throw error;
  }
  throw new Error('expected an error, found none');
}
