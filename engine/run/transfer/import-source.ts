import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { ImportPosition } from '../../../tables/model/ledger/transfer-records.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import { LineFrontier } from '../../core/transfer/line-frontier.ts';
import { type ItemTransform, lineRequests, TextPut } from '../../core/transfer/line-requests.ts';
import type { ItemScanner } from '../../core/transfer/scan-item.ts';
import type { ItemText, WriteRequest, WriteTable } from '../../core/write/write-request.ts';
import { filesAtOnce } from './import-environment.ts';
import type { ExportFile, OpenExport } from './open-export.ts';
import { type NumberedLine, readLines } from './read-lines.ts';

/** A request that knows where it came from. */
export type ImportWrite = WriteRequest & { readonly file: number; readonly line: number; readonly before?: Item | undefined };

interface OpenLane {
  readonly file: number;
  readonly lines: AsyncGenerator<readonly NumberedLine[]>;
}

export interface ImportSourceOptions {
  readonly opened: OpenExport;
  readonly table: WriteTable;
  readonly transform: ItemTransform | undefined;
  /** For items that go as they are. */
  readonly scan: ItemScanner | undefined;
  readonly codec: FileCodec;
  readonly from: ImportPosition;
}

/**
 * Reads the data files in turns and keeps account of which lines are dealt with. It takes no signal: the writer stops asking
 * when it is stopped, and a source that threw then would be taken for broken.
 */
export class ImportSource {
  readonly #options: ImportSourceOptions;
  readonly #frontiers = new Map<number, LineFrontier>();
  /** Files that were read to their end. */
  readonly #exhausted = new Set<number>();
  #nextFile: number;
  #done: number;

  constructor(options: ImportSourceOptions) {
    this.#options = options;
    this.#done = options.from.done;
    this.#nextFile = options.from.done;
    for (const { file, lines, whole } of options.from.open) {
      this.#frontiers.set(file, new LineFrontier(lines));
      if (whole) this.#exhausted.add(file);
    }
  }

  /** Those of some lines at a time. */
  async *requests(): AsyncGenerator<readonly ImportWrite[]> {
    const lanes: OpenLane[] = [];
    const close = () => Promise.all(lanes.map((lane) => lane.lines.return(undefined)));
    try {
      for (let turn = 0; ; turn += 1) {
        while (lanes.length < filesAtOnce && this.#nextFile < this.#options.opened.files.length) this.#openNext(lanes);
        if (lanes.length === 0) return;
        const at = turn % lanes.length;
        const lane = lanes[at] as OpenLane;
        const step = await lane.lines.next();
        if (step.done) {
          this.#exhausted.add(lane.file);
          lanes.splice(at, 1);
          continue;
        }
        yield* this.#requestsOf(lane.file, step.value);
      }
    } finally {
      await close();
    }
  }

  settle({ file, line }: ImportWrite): void {
    this.#frontiers.get(file)?.settle(line);
  }

  /** What a later run may count as dealt with. */
  position(): ImportPosition {
    while (this.#isWhole(this.#done)) {
      this.#frontiers.delete(this.#done);
      this.#exhausted.delete(this.#done);
      this.#done += 1;
    }
    const open = [...this.#frontiers.entries()].map(([file, frontier]) => ({
      file,
      lines: frontier.done,
      whole: this.#isWhole(file),
    }));
    return { done: this.#done, open: open.toSorted((a, b) => a.file - b.file) };
  }

  lines(): number {
    const { done, open } = this.position();
    const whole = this.#options.opened.files.slice(0, done).reduce((sum, file) => sum + file.itemCount, 0);
    return open.reduce((sum, { lines }) => sum + lines, whole);
  }

  #isWhole(file: number): boolean {
    return this.#exhausted.has(file) && this.#frontiers.get(file)?.open === 0;
  }

  #openNext(lanes: OpenLane[]): void {
    const file = this.#nextFile;
    this.#nextFile += 1;
    const source = this.#options.opened.files[file] as ExportFile;
    const frontier = this.#frontiers.get(file) ?? new LineFrontier();
    this.#frontiers.set(file, frontier);
    if (this.#exhausted.has(file)) return;
    lanes.push({ file, lines: readLines(source, this.#options.codec, frontier.done, undefined, this.#options.scan) });
  }

  /** A transform is the user's own code: when it fails, the place that it failed at is told. */
  #placed<T>(file: number, line: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      const place = `${this.#options.opened.files[file]?.shown}:${line}`;
      const message = error instanceof Error ? error.message : String(error);
      throw new TablewrightError('BAD_ARGUMENT', `${place}: the transform failed: ${message}`, {
        cause: error,
        next: 'Correct the transform; the same command then begins anew with --again.',
      });
    }
  }

  /** When a line cannot be had, those before it are given first. */
  *#requestsOf(file: number, lines: readonly NumberedLine[]): Generator<readonly ImportWrite[]> {
    const requests: ImportWrite[] = [];
    let failure: { readonly error: unknown } | undefined;
    try {
      for (const line of lines) this.#addRequests(requests, file, line);
    } catch (error) {
      failure = { error };
    }
    yield requests;
    if (failure !== undefined) throw failure.error;
  }

  #addRequests(all: ImportWrite[], file: number, { line, content }: NumberedLine): void {
    const { table, transform } = this.#options;
    const frontier = this.#frontiers.get(file);
    if (content?.kind === 'text') {
      frontier?.begin(line, 1);
      all.push(new PlacedText(table.name, content.asText, file, line));
      return;
    }
    const requests = content === undefined ? [] : this.#placed(file, line, () => lineRequests(table, content, transform));
    frontier?.begin(line, requests.length);
    const before = content?.kind === 'change' ? content.before : undefined;
    for (const request of requests)
      all.push(before === undefined ? { ...request, file, line } : { ...request, file, line, before });
  }
}

class PlacedText extends TextPut {
  readonly file: number;
  readonly line: number;

  constructor(table: string, asText: ItemText, file: number, line: number) {
    super(table, asText);
    this.file = file;
    this.line = line;
  }
}
