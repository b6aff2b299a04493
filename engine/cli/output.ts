import { jsonVersion } from './json-version.js';
import { fold } from './show/fold.js';
import { painter, paintLines } from './show/paint.js';
import { pipe, type Screen, type Sheet } from './show/screen.ts';
import { textWidth } from './show/text-width.ts';

/** How a command speaks: text for people, JSON lines with `--json`. Only this module and the renderers print. */
export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Where results go. */
  readonly write: (text: string) => void;
  /** Where progress and errors go. */
  readonly writeError: (text: string) => void;
  /** What the two are shown on; pipes when left out. */
  readonly results?: Screen | undefined;
  readonly errors?: Screen | undefined;
  readonly colour?: { readonly results: boolean; readonly errors: boolean };
}

type Event = { readonly event: string } & Readonly<Record<string, unknown>>;

export class Output {
  readonly options: OutputOptions;
  /** A line that is drawn over and over takes itself away before something else is printed. */
  beforePrint: () => void = () => undefined;

  constructor(options: OutputOptions) {
    this.options = options;
  }

  /** What results are written for, as it is now. */
  get page(): Sheet {
    const { results = pipe, colour } = this.options;
    return { columns: results.terminal ? results.columns : undefined, paint: painter(colour?.results ?? false) };
  }

  /** A result: its JSON form with `--json`, its text otherwise. Shown with `--quiet` too. */
  result(value: object, text: (page: Sheet) => string): void {
    this.#print(value, () => text(this.page));
  }

  /** A result that already has its final form. */
  raw(text: string): void {
    this.beforePrint();
    this.options.write(`${text}\n`);
  }

  /** A remark on the way; left out with `--quiet`. */
  note(event: Event, text: string): void {
    if (!this.options.quiet) this.#print(event, () => text);
  }

  /** Something about the run itself that is no part of its results; left out with `--quiet`. */
  aside(event: Event, text: string): void {
    if (!this.options.quiet) this.error(event, text);
  }

  /** An error, to the error stream. */
  error(value: object, text: string): void {
    const { json, writeError, errors = pipe, colour } = this.options;
    this.beforePrint();
    if (json) writeError(`${jsonLine(value)}\n`);
    else {
      const shown = errors.terminal ? fold(text, errors.columns, textWidth) : text;
      writeError(`${paintLines(shown, painter(colour?.errors ?? false))}\n`);
    }
  }

  #print(value: object, text: () => string): void {
    const { json, write } = this.options;
    this.beforePrint();
    const { columns, paint } = this.page;
    const shown = () => (columns === undefined ? text() : fold(text(), columns, textWidth));
    write(`${json ? jsonLine(value) : paintLines(shown(), paint)}\n`);
  }
}

/** Every line but those of `query`, which are records, says which form it has. */
function jsonLine(value: object): string {
  return JSON.stringify({ version: jsonVersion, ...value });
}
