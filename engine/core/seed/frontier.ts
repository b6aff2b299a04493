/**
 * How far a run has got when its parts finish in any order: everything before `reached` is done. A part that failed stops
 * it there for good, so that a later run comes back to it.
 */
export class Frontier {
  #reached: number;
  #failedAt = Number.POSITIVE_INFINITY;
  readonly #ahead = new Set<number>();

  constructor(from: number) {
    this.#reached = from;
  }

  get reached(): number {
    return this.#reached;
  }

  done(place: number): void {
    if (place > this.#failedAt) return;
    this.#ahead.add(place);
    while (this.#ahead.delete(this.#reached)) this.#reached += 1;
  }

  failed(place: number): void {
    this.#failedAt = Math.min(this.#failedAt, place);
    for (const other of this.#ahead) if (other > this.#failedAt) this.#ahead.delete(other);
  }
}
