import type { SegmentStrip } from '../wire-types.ts';

/** More fields than this could not be told apart on a screen. */
export const maxFields = 200;

interface Segment {
  readonly segment: number;
  readonly done: boolean;
  readonly counts: { readonly scanned: number };
}

/**
 * The segments of a pass as fields that fill: each with its share of the table, which nobody knows exactly before its end. Where
 * there are more segments than fields, neighbours share one.
 */
export function segmentStrip(
  found: readonly Segment[],
  { segments, expected }: { readonly segments: number; readonly expected: number },
): SegmentStrip {
  const perField = Math.max(1, Math.ceil(segments / maxFields));
  const each = segments === 0 ? 0 : expected / segments;
  const fields = Array.from({ length: Math.ceil(segments / perField) }, (_, at) => ({
    first: at * perField,
    last: Math.min(segments, (at + 1) * perField) - 1,
    scanned: 0,
    filled: 0,
  }));
  let done = 0;
  for (const { segment, done: isDone, counts } of found) {
    const field = fields[Math.floor(segment / perField)];
    if (field === undefined) continue;
    done += isDone ? 1 : 0;
    field.scanned += counts.scanned;
    field.filled += isDone ? 1 : each === 0 ? 0 : Math.min(mostOpen, counts.scanned / each);
  }
  return {
    ...{ segments, done },
    fields: fields.map(({ first, last, scanned, filled }) => ({ first, last, scanned, share: filled / (last - first + 1) })),
  };
}

/** Of a segment that is not done: never as if it were. */
const mostOpen = 0.97;
