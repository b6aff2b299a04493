import type { Clock } from '../../engine/run/capacity/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that moves only from one timer to the next, as soon as nothing else is left to do. */
export class FakeClock implements Clock {
  #now = 0;
  #timers: Timer[] = [];

  steadyMs(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), callback };
    const place = this.#timers.findIndex((other) => other.at > timer.at);
    this.#timers.splice(place === -1 ? this.#timers.length : place, 0, timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(delayMs, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Lets time pass until the work is done. */
  async drive<T>(work: Promise<T>): Promise<T> {
    const state = { done: false };
    const mark = (): void => {
      state.done = true;
    };
    work.then(mark, mark);
    while (!state.done) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (state.done) break;
      const next = this.#timers.shift();
      if (next === undefined) throw new Error('the work waits, but no timer is set that could wake it');
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    return work;
  }
}
