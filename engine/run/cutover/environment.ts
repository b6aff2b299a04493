import type { ReadEnvironment } from '../read/read-pattern.ts';

/** What changing a pattern's state needs beside reading. */
export interface CutoverEnvironment extends ReadEnvironment {
  /** The present time, ISO 8601. */
  readonly time: () => string;
  /** Who does it; goes to the ledger. */
  readonly by: string;
}
