/** The work's result, or undefined when the signal ended it: for those who keep what they have when they are stopped. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (signal?.aborted && error === signal.reason) return undefined;
    throw error;
  });
}
