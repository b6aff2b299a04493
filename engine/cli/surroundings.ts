import type { Screen } from './show/screen.ts';

/** What the command line touches of its process. Tests hand in their own and run many commands in one process. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where results go. */
  readonly write: (text: string) => void;
  /** Where progress and errors go. */
  readonly writeError: (text: string) => void;
  /** What the two are shown on; pipes when left out. */
  readonly results?: Screen;
  readonly errors?: Screen;
  /** Asks the person at the terminal; left out where there is none. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string>;
  /** Somebody wants the command to stop. */
  readonly signal: AbortSignal;
  /** Keeps the process small, at some cost; left out where several commands share one. */
  readonly holdMemory?: () => void;
  /** Makes TypeScript importable; called once, before the first such import. */
  readonly loadTypeScript: () => Promise<void>;
}
