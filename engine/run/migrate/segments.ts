/** Work that is done on several segments at once. If one fails, the others are told to stop, and waited for. */
export class Segments {
  readonly #failure = new AbortController();
  /** The run's own, or the failure of a segment. */
  readonly stop: AbortSignal;

  constructor(stop: AbortSignal) {
    this.stop = AbortSignal.any([stop, this.#failure.signal]);
  }

  /** Throws the first failure, when all have ended: nothing is under way any more. */
  async run<S, T>(segments: readonly S[], work: (segment: S) => Promise<T>): Promise<readonly T[]> {
    let first: { readonly error: unknown } | undefined;
    const finished = await Promise.all(
      segments.map(async (segment) => {
        try {
          return { result: await work(segment) };
        } catch (error) {
          first ??= { error };
          this.#failure.abort();
          return undefined;
        }
      }),
    );
    if (first !== undefined) throw first.error;
    return finished.flatMap((one) => (one === undefined ? [] : [one.result]));
  }
}
