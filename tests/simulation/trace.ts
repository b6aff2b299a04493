import { createHash } from 'node:crypto';

/** Everything that happened, in its order, as one digest; the lines themselves for whoever wants to read them. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #nowMs: () => number;
  readonly #show: ((line: string) => void) | undefined;

  constructor(nowMs: () => number, show: ((line: string) => void) | undefined) {
    this.#nowMs = nowMs;
    this.#show = show;
  }

  readonly add = (line: string): void => {
    const timed = `${String(this.#nowMs()).padStart(7)} ms  ${line}`;
    this.#hash.update(timed);
    this.#show?.(timed);
  };

  digest(): string {
    return this.#hash.digest('hex');
  }
}
