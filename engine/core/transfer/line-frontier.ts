/**
 * Which lines of one file are dealt with. Requests are acknowledged in any order; `done` counts only lines without a gap
 * before them, so that a run that begins behind it misses nothing.
 */
export class LineFrontier {
  #done: number;
  #opened: number;
  /** Requests still out, by line; a line is taken out when its last one is dealt with. */
  readonly #open = new Map<number, number>();

  constructor(done = 0) {
    this.#done = done;
    this.#opened = done;
  }

  /** Lines from the beginning of the file that are dealt with. */
  get done(): number {
    return this.#done;
  }

  /** Lines that were read and are not dealt with. */
  get open(): number {
    return this.#open.size;
  }

  /** The next line was read and became this many requests. Lines come in their order. */
  begin(line: number, requests: number): void {
    this.#opened = line;
    if (requests > 0) this.#open.set(line, requests);
    this.#advance();
  }

  /** One request of the line is dealt with. */
  settle(line: number): void {
    const left = (this.#open.get(line) ?? 1) - 1;
    if (left > 0) {
      this.#open.set(line, left);
      return;
    }
    this.#open.delete(line);
    this.#advance();
  }

  #advance(): void {
    while (this.#done < this.#opened && !this.#open.has(this.#done + 1)) this.#done += 1;
  }
}
