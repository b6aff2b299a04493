import { isNamed, type ThrottlingReason } from '../store/throttling.ts';

/** What the store gave as a reason is told for this long, unless it gives another; no more often is it asked for one. */
const holdMs = 10_000;

/** Why the store last refused requests, as far as it says. */
export class RefusalReasons {
  #given: readonly ThrottlingReason[] = [];
  #atMs = Number.NEGATIVE_INFINITY;
  #askedMs = Number.NEGATIVE_INFINITY;

  /** A reason with a name is worth more than a code without one. */
  note(reasons: readonly ThrottlingReason[], nowMs: number): void {
    if (reasons.length === 0 || (this.at(nowMs).some(isNamed) && !reasons.some(isNamed))) return;
    this.#given = reasons;
    this.#atMs = nowMs;
  }

  at(nowMs: number): readonly ThrottlingReason[] {
    return nowMs - this.#atMs > holdMs ? [] : this.#given;
  }

  /** Is it worth finding out which table or index it is? Whoever is told so finds out. */
  wantsName(nowMs: number): boolean {
    if (this.at(nowMs).some(isNamed) || nowMs - this.#askedMs < holdMs) return false;
    this.#askedMs = nowMs;
    return true;
  }
}
