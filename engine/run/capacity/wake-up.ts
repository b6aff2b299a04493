import type { Clock } from './clock.ts';

/** Something to wait for that others announce: whoever waits is woken and looks again. */
export class WakeUp {
  #waiting: (() => void)[] = [];

  notifyAll(): void {
    if (this.#waiting.length === 0) return;
    const woken = this.#waiting;
    this.#waiting = [];
    for (const wake of woken) wake();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** As `wait`, but no longer than the delay. */
  waitAtMost(clock: Clock, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        resolve();
      };
      const cancel = clock.after(delayMs, () => {
        this.#waiting = this.#waiting.filter((other) => other !== wake);
        resolve();
      });
      this.#waiting.push(wake);
    });
  }
}
