/** Time, as an argument: tests bring their own. */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  steadyMs(): number;
  /** Calls back once after the delay, unless cancelled by what it returns. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  steadyMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Calls again and again, until what it returns is called. */
export function every(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms);
  return () => clearInterval(timer);
}

/** Until the events that are due have had their turn. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits; an abort ends the wait at once, with the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = systemClock.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
