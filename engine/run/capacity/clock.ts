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
