import type { WriteEvent } from '../write/write-event.ts';

/** What an export tells while it works. */
export type ExportEvent =
  | {
      readonly kind: 'started';
      readonly place: string;
      readonly id: string;
      readonly resumed: boolean;
      readonly segments: number;
    }
  | { readonly kind: 'progress'; readonly progress: ExportProgress }
  | { readonly kind: 'retry'; readonly cause: string; readonly delayMs: number };

export interface ExportProgress {
  /** Items read from the table, by earlier runs of this export as well. */
  readonly read: number;
  /** Of those, by earlier runs. */
  readonly earlier: number;
  /** Items in the export; less than `read` where entities are left out. */
  readonly exported: number;
  readonly files: number;
  readonly bytes: number;
  readonly units: number;
  readonly segmentsDone: number;
  readonly segments: number;
  readonly elapsedMs: number;
}

/** What an import tells while it works; the writer's own events pass through. */
export type ImportEvent =
  | { readonly kind: 'checked'; readonly files: number; readonly items: number; readonly bytes: number }
  | { readonly kind: 'resumed'; readonly lines: number }
  | { readonly kind: 'checkpoint'; readonly lines: number }
  | { readonly kind: 'rejected'; readonly place: string; readonly problem: string }
  | { readonly kind: 'verifying'; readonly compared: number; readonly of: number }
  | WriteEvent;
