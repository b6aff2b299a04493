/** Where a client keeps the dialect that its server may speak. */
export const dialectOf: unique symbol = Symbol('dialect');

/** A server's own words, for whoever writes requests to it. */
export interface Dialect {
  /** An answer came: it says who the server is. */
  heard(status: number, headers: Readonly<Record<string, unknown>>): void;
  /** The same request in the server's words. */
  worded<Input extends object>(input: Input): Promise<Input>;
}

export interface Speaks {
  [dialectOf]?: Dialect;
}
