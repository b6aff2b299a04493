import type { Item } from '../../../tables/model/attribute-value.ts';
import type { KeySchema } from '../../../tables/model/table.ts';
import type { PageStore } from '../../core/store/store.ts';
import type { BlobStore } from '../../core/transfer/blob-store.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import type { ItemMasker } from '../../core/transfer/mask/mask-item.ts';
import type { MaskTally } from '../../core/transfer/mask/mask-tally.ts';
import type { RawItem } from '../../core/transfer/split-answer.ts';
import type { ExportEvent } from '../../core/transfer/transfer-event.ts';
import type { CapacityGates } from '../capacity/capacity-gate.ts';
import type { Clock } from '../capacity/clock.ts';

export interface ExportEnvironment {
  readonly store: PageStore<RawItem>;
  /** Where the export goes; its own folder is made inside. */
  readonly target: BlobStore;
  readonly codec: FileCodec;
  /** Where segments keep how far they got; beside the export when left out. */
  readonly records?: SegmentRecords | undefined;
  /** The read budget. */
  readonly gates: CapacityGates;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Eight hexadecimal digits. */
  readonly randomId: () => string;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly onEvent?: ((event: ExportEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to look whether another run still works on an unfinished export. */
  readonly takeOverWaitMs?: number | undefined;
}

/** Items within a data file's text; about 16 MB of it are kept compressed per segment, and are read again after a crash. */
export const defaultFileBytes = 16 * 1_024 * 1_024;
export const defaultSegments = 4;
/** Segments that are read at once. */
export const segmentConcurrency = 8;

export interface ExportRequest {
  /** The physical name. */
  readonly tableName: string;
  readonly tableArn: string;
  readonly segments: number;
  readonly consistent: boolean;
  /** What is left out or changed, as one text: a run goes on with an unfinished export only if this is the same. */
  readonly options: string;
  /** The item as it is exported; undefined leaves it out. Without a shape, items go as they are. */
  readonly shape?: ((item: Item) => Item | undefined) | undefined;
  /** Changes what `shape` left. */
  readonly mask?: ExportMask | undefined;
  readonly fileBytes?: number | undefined;
  /** What the table is, for the file that lies beside the data. */
  readonly schema?: string | undefined;
  /** Remarks for the summary. */
  readonly remarks: Readonly<Record<string, unknown>>;
}

export interface ExportMask {
  /** One for each segment, as each counts by itself. */
  readonly masker: () => ItemMasker;
  /** Of which no two masked items may have the same. */
  readonly key: KeySchema;
  /** Throws when the rules did not do what they were meant for. */
  readonly check: (tally: MaskTally) => void;
}

/** The texts of segments by the export's id: where the keys at which their scans go on may be kept. */
export interface SegmentRecords {
  read(id: string, segment: number, signal?: AbortSignal): Promise<string | undefined>;
  write(id: string, segment: number, text: string): Promise<void>;
  /** Forgets these exports. */
  clear(ids: readonly string[]): Promise<void>;
}

export type ExportResult =
  | {
      readonly outcome: 'complete';
      readonly id: string;
      readonly place: string;
      readonly items: number;
      readonly read: number;
      readonly files: number;
      readonly bytes: number;
      readonly units: number;
      readonly elapsedMs: number;
      readonly resumed: boolean;
      readonly masked: MaskTally | undefined;
    }
  | { readonly outcome: 'interrupted'; readonly id: string; readonly place: string; readonly items: number };
