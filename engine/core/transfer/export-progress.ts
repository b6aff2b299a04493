import type { Item } from '../../../tables/model/attribute-value.ts';
import { fromJsonItem, type JsonItem, toJsonItem } from '../item/dynamo-json.ts';
import type { MaskTally } from './mask/mask-tally.ts';

/** What an export does, fixed when it begins; a later run goes on with it only if it wants the same. */
export interface ExportPlan {
  readonly table: string;
  /** The catalogue's filters and masks, as one text to compare. */
  readonly options: string;
  readonly segments: number;
  readonly startedAt: string;
}

export interface WrittenFile {
  readonly name: string;
  readonly itemCount: number;
  readonly md5: string;
  readonly etag: string;
  readonly bytes: number;
}

/** How far a segment got: its files, and where its scan goes on. */
export interface SegmentProgress {
  readonly files: readonly WrittenFile[];
  /** Undefined before the first page; not looked at when done. */
  readonly cursor: Item | undefined;
  readonly done: boolean;
  /** Items read, also those that a filter left out. */
  readonly read: number;
  /** What a mask did to its items; only masked exports have it. */
  readonly tally?: MaskTally | undefined;
}

export const freshSegment: SegmentProgress = { files: [], cursor: undefined, done: false, read: 0 };

export function printSegment({ cursor, ...rest }: SegmentProgress): string {
  return JSON.stringify({ ...rest, cursor: cursor === undefined ? null : toJsonItem(cursor) });
}

/** The toolkit's own records: whatever is not as it writes them is as good as not there. */
export function parseSegment(text: string | undefined): SegmentProgress {
  if (text === undefined) return freshSegment;
  const json = parse(text) as Partial<Omit<SegmentProgress, 'cursor'>> & { readonly cursor?: JsonItem | null };
  if (!Array.isArray(json.files) || typeof json.done !== 'boolean') return freshSegment;
  const cursor = json.cursor === null || json.cursor === undefined ? undefined : fromJsonItem(json.cursor);
  const tally = typeof json.tally === 'object' && json.tally !== null ? { tally: json.tally } : {};
  return { files: json.files, cursor, done: json.done, read: Number(json.read) || 0, ...tally };
}

export function parsePlan(text: string | undefined): ExportPlan | undefined {
  if (text === undefined) return undefined;
  const json = parse(text) as Partial<ExportPlan>;
  const { table, options, segments, startedAt } = json;
  if (typeof table !== 'string' || typeof options !== 'string' || typeof startedAt !== 'string') return undefined;
  return typeof segments === 'number' ? { table, options, segments, startedAt } : undefined;
}

function parse(text: string): object {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? json : {};
  } catch {
    return {};
  }
}
