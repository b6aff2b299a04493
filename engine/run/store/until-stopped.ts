/** The work's result, or undefined when the signal ended it: for those who keep what they have when they are stopped. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (isStop(error, signal)) return undefined;
    throw error;
  });
}

/** Did the work end because it was stopped? Timers and the SDK's client throw an error of their own for that. */
export function isStop(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted !== true) return false;
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
