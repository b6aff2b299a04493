/** How a command speaks: text for people, JSON lines with `--json`. Only this module and the renderers print. */
export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Where results go. */
  readonly write: (text: string) => void;
  /** Where progress and errors go. */
  readonly writeError: (text: string) => void;
  /** The error stream is a terminal, so a line may be redrawn. */
  readonly terminal: boolean;
  readonly columns: number;
}

export class Output {
  readonly options: OutputOptions;

  constructor(options: OutputOptions) {
    this.options = options;
  }

  /** A result: its JSON form with `--json`, its text otherwise. Shown with `--quiet` too. */
  result(value: unknown, text: () => string): void {
    this.options.write(`${this.options.json ? JSON.stringify(value) : text()}\n`);
  }

  /** A result that already has its final form. */
  raw(text: string): void {
    this.options.write(`${text}\n`);
  }

  /** A remark on the way; left out with `--quiet`. */
  note(event: { readonly event: string } & Readonly<Record<string, unknown>>, text: string): void {
    if (this.options.quiet) return;
    this.options.write(`${this.options.json ? JSON.stringify(event) : text}\n`);
  }

  /** Something about the run itself that is no part of its results; left out with `--quiet`. */
  aside(event: { readonly event: string } & Readonly<Record<string, unknown>>, text: string): void {
    if (this.options.quiet) return;
    this.options.writeError(`${this.options.json ? JSON.stringify(event) : text}\n`);
  }

  /** An error, to the error stream. */
  error(value: unknown, text: string): void {
    this.options.writeError(`${this.options.json ? JSON.stringify(value) : text}\n`);
  }
}
