/** After somebody asked a command to stop, a request under way gets this long to answer. */
export const lastWaitMs = 700;

/**
 * How long the requests of a command are waited for once it is to stop. What it then still has to write down, a checkpoint or
 * its lock, may be sent; but when one request has gone without an answer for `lastWaitMs`, the server is taken for dead, and
 * every request ends at once. What became of those that were on their way is not known, as when the process is killed.
 */
export class Patience {
  readonly #stop: AbortSignal;
  readonly #over = new AbortController();

  constructor(stop: AbortSignal) {
    this.#stop = stop;
  }

  /** Aborted when nothing is waited for any longer. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** A request is on its way, until the function that this gives is called. */
  begin(): () => void {
    let timer: NodeJS.Timeout | undefined;
    const hurry = (): void => {
      timer = setTimeout(() => this.#over.abort(this.#stop.reason), lastWaitMs);
    };
    if (this.#stop.aborted) hurry();
    else this.#stop.addEventListener('abort', hurry, { once: true });
    return () => {
      clearTimeout(timer);
      this.#stop.removeEventListener('abort', hurry);
    };
  }
}
