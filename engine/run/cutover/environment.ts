import type { ReadEnvironment } from '../read/read-pattern.ts';

/** What changing a pattern's state needs beside reading. */
export interface CutoverEnvironment extends ReadEnvironment {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Who does it; goes to the ledger. */
  readonly by: string;
}
