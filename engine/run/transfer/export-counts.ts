import type { SegmentProgress } from '../../core/transfer/export-progress.ts';
import type { ExportProgress } from '../../core/transfer/transfer-event.ts';
import type { ExportEnvironment } from './export-environment.ts';

const progressEveryMs = 250;

export function itemsOf(segments: readonly SegmentProgress[]): number {
  return segments.reduce((sum, { files }) => sum + files.reduce((count, file) => count + file.itemCount, 0), 0);
}

/** What was done so far, earlier runs included; told a few times a second. */
export class ExportCounts {
  readonly #environment: ExportEnvironment;
  readonly #startedMs: number;
  readonly #segments: number;
  readonly #earlier: number;
  #read: number;
  #exported: number;
  #files: number;
  #bytes: number;
  #units = 0;
  #segmentsDone: number;
  #toldMs: number;

  constructor(environment: ExportEnvironment, segments: readonly SegmentProgress[], startedMs: number) {
    this.#environment = environment;
    this.#startedMs = startedMs;
    this.#toldMs = startedMs;
    this.#segments = segments.length;
    this.#earlier = segments.reduce((sum, segment) => sum + segment.read, 0);
    this.#read = this.#earlier;
    this.#exported = itemsOf(segments);
    this.#files = segments.reduce((sum, segment) => sum + segment.files.length, 0);
    this.#bytes = segments.reduce((sum, { files }) => sum + files.reduce((all, file) => all + file.bytes, 0), 0);
    this.#segmentsDone = segments.filter((segment) => segment.done).length;
  }

  page(read: number, exported: number, units: number): void {
    this.#read += read;
    this.#exported += exported;
    this.#units += units;
    this.#tell();
  }

  file(bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
  }

  segmentDone(): void {
    this.#segmentsDone += 1;
    // What was told to be under way is told to be at its end.
    if (this.#segmentsDone === this.#segments && this.#toldMs > this.#startedMs) this.#tellNow();
  }

  progress(segments: readonly SegmentProgress[]): ExportProgress {
    return { ...this.#now(), files: segments.reduce((sum, segment) => sum + segment.files.length, 0) };
  }

  #tell(): void {
    const nowMs = this.#environment.clock.steadyMs();
    if (nowMs - this.#toldMs < progressEveryMs) return;
    this.#toldMs = nowMs;
    this.#tellNow();
  }

  #tellNow(): void {
    this.#environment.onEvent?.({ kind: 'progress', progress: this.#now() });
  }

  #now(): ExportProgress {
    return {
      read: this.#read,
      earlier: this.#earlier,
      exported: this.#exported,
      files: this.#files,
      bytes: this.#bytes,
      units: this.#units,
      segmentsDone: this.#segmentsDone,
      segments: this.#segments,
      elapsedMs: this.#environment.clock.steadyMs() - this.#startedMs,
    };
  }
}
