import type { GeneratedRecord } from './define-seed.ts';

/** So many groups one after another may be too large for the room that is left before the rest is filled. */
const triesPerRoom = 16;

export interface Groups {
  /** Records that belong together, told by a number from 0; the same number always gives the same ones. */
  readonly group: (number: number) => readonly GeneratedRecord[];
  /** Exactly `room` records that stand by themselves. */
  readonly tail: (room: number) => readonly GeneratedRecord[];
}

/** Exactly `count` records: whole groups as long as they fit, smaller ones towards the end, then the tail. */
export function* fillCount(count: number, { group, tail }: Groups): Generator<GeneratedRecord> {
  let room = count;
  let misses = 0;
  for (let number = 0; room > 0 && misses < triesPerRoom; number += 1) {
    const records = group(number);
    if (records.length > room) {
      misses += 1;
      continue;
    }
    yield* records;
    room -= records.length;
    misses = 0;
  }
  if (room > 0) yield* tail(room);
}
