export const windowMs = 1_000;
const slotMs = 5;
/** One more than the window has: the oldest slot is counted whole until all of it has passed. */
const slotCount = windowMs / slotMs + 1;

/** What was accepted and refused within the last second, in capacity units. Times only go forward. */
export class CapacityWindow {
  readonly #accepted = new Float64Array(slotCount);
  readonly #refused = new Float64Array(slotCount);
  #slot: number;
  accepted = 0;
  refused = 0;

  constructor(nowMs: number) {
    this.#slot = Math.floor(nowMs / slotMs);
  }

  add(nowMs: number, accepted: number, refused: number): void {
    this.advance(nowMs);
    const at = this.#slot % slotCount;
    this.#accepted[at] = (this.#accepted[at] ?? 0) + accepted;
    this.#refused[at] = (this.#refused[at] ?? 0) + refused;
    this.accepted += accepted;
    this.refused += refused;
  }

  /** Forgets what lies more than a second back. */
  advance(nowMs: number): void {
    const slot = Math.floor(nowMs / slotMs);
    if (slot <= this.#slot) return;
    for (let passed = Math.max(this.#slot + 1, slot - slotCount + 1); passed <= slot; passed += 1) {
      this.#accepted[passed % slotCount] = 0;
      this.#refused[passed % slotCount] = 0;
    }
    this.#slot = slot;
    // Summed anew rather than subtracted: additions of fractions would drift.
    this.accepted = this.#accepted.reduce((sum, units) => sum + units, 0);
    this.refused = this.#refused.reduce((sum, units) => sum + units, 0);
  }

  /** How long until the oldest units leave the window. */
  untilNextSlotMs(nowMs: number): number {
    return slotMs - (nowMs % slotMs);
  }
}
