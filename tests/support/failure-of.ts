import { TablewrightError } from '../../tables/model/error.ts';

/** The error that the work ends with; another kind of error is passed on, and none at all is one. */
export async function failureOf(work: Promise<unknown>): Promise<TablewrightError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TablewrightError) return error;
    throw error;
  }
  throw new Error('it should have failed');
}

/** As `failureOf`, for work that is done at once. */
export function failureIn(work: () => unknown): TablewrightError {
  try {
    work();
  } catch (error) {
    if (error instanceof TablewrightError) return error;
    throw error;
  }
  throw new Error('it should have failed');
}
