import type { Paint } from './paint.js';

/** Where text goes: a terminal, or a file or pipe. */
export interface Screen {
  /** A person looks at it: lines may be redrawn, tables and sentences fit its width. */
  readonly terminal: boolean;
  /** Its width at this moment: windows are resized. */
  readonly columns: number;
}

/** A file, a pipe, a log: nothing is cut or left out for want of width. */
export const pipe: Screen = { terminal: false, columns: 80 };

/** What a text is made for. */
export interface Sheet {
  /** Undefined where there is room for anything. */
  readonly columns: number | undefined;
  readonly paint: Paint;
}
