import { isKeyRange, partOfReason, type ThrottlingReason } from '../store/throttling.ts';

/** DynamoDB Developer Guide, "Best practices for designing and using partition keys": a partition takes 1,000 write units a second. */
export const partitionWriteUnits = 1_000;

/**
 * A scan meets a table's keys one after another, so each segment of a pass writes to one partition of the table at a time. No index
 * can have this name.
 */
export const segmentsPart = '#segments';

/** What falls on the busiest key of a table (`''`) or index, or on a segment's partition, as a part of all the units that go out. */
export interface KeyLoad {
  readonly part: string;
  readonly share: number;
}

/** The most that may go out at a time for the sake of one key. */
export interface PartitionCeiling extends KeyLoad {
  /** Of all units together. */
  readonly unitsPerSecond: number;
}

/** Per second in which the ceiling was what held the work up and nothing was refused: twice as much after some 25 s. */
const climbFactor = 1.03;
/** What a refusal leaves of it; several within a second are one. */
const fallFactor = 0.8;
const fallEveryMs = 1_000;
/** No climbing for this long after a refusal: DynamoDB takes minutes to split a key. */
const restMs = 30_000;
/** Never below this for a key: somebody else may use the rest, but not for ever. */
const minKeyUnits = 50;

interface Part {
  share: number;
  /** Units per second that one key of this part may get. */
  keyUnits: number;
  fellMs: number;
}

/** Keeps single keys from getting more than their partition takes: one ceiling for the table and each of its indexes. */
export class PartitionCeilings {
  readonly #parts = new Map<string, Part>();
  #climbedMs: number;

  constructor(nowMs: number) {
    this.#climbedMs = nowMs;
  }

  /** From now on the units that go out are spread so. Parts that are not named get none. */
  carry(loads: readonly KeyLoad[]): void {
    for (const part of this.#parts.values()) part.share = 0;
    for (const { part, share } of loads) {
      const known = this.#parts.get(part);
      if (known !== undefined) known.share = share;
      else this.#parts.set(part, { share, keyUnits: partitionWriteUnits, fellMs: Number.NEGATIVE_INFINITY });
    }
  }

  /** The lowest of the ceilings; undefined when nothing is spread. */
  get lowest(): PartitionCeiling | undefined {
    let lowest: PartitionCeiling | undefined;
    for (const [part, { share, keyUnits }] of this.#parts) {
      if (share <= 0) continue;
      const unitsPerSecond = keyUnits / share;
      if (lowest === undefined || unitsPerSecond < lowest.unitsPerSecond) lowest = { part, share, unitsPerSecond };
    }
    return lowest;
  }

  /** Raises the lowest, which is what holds the work up, unless something was refused of late. */
  climb(nowMs: number, isHeldUp: boolean): void {
    const seconds = (nowMs - this.#climbedMs) / 1_000;
    if (seconds <= 0) return;
    this.#climbedMs = nowMs;
    const lowest = this.lowest;
    const part = lowest === undefined ? undefined : this.#parts.get(lowest.part);
    if (part === undefined || !isHeldUp || nowMs - part.fellMs < restMs) return;
    // After a pause of the process it has not been tried for all that time.
    part.keyUnits *= climbFactor ** Math.min(1, seconds);
  }

  /** Lowers the ceilings that the refusal is about; without a reason, the lowest. Other limits than a partition's are not theirs. */
  refused(reasons: readonly ThrottlingReason[], nowMs: number): void {
    const named = reasons.flatMap((reason) => (isKeyRange(reason) === true ? partsOf(partOfReason(reason)) : []));
    const lowest = this.lowest?.part;
    const isUnknown = reasons.every((reason) => isKeyRange(reason) === undefined);
    for (const name of isUnknown ? [lowest] : named) {
      const part = name === undefined ? undefined : this.#parts.get(name);
      if (part === undefined || nowMs - part.fellMs < fallEveryMs) continue;
      part.keyUnits = Math.max(minKeyUnits, part.keyUnits * fallFactor);
      part.fellMs = nowMs;
    }
  }
}

/** A partition of the table is full because of one of its keys, or of a segment that writes there: nobody says which. */
function partsOf(name: string | undefined): readonly (string | undefined)[] {
  return name === '' ? [name, segmentsPart] : [name];
}
