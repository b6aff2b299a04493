/** Over one connection, one request after the other, or over all that there are. */
export type Way = 'one' | 'many';

/** A request on its way; what was sent before a change of ways tells nothing of the new one. */
export interface Passage {
  readonly way: Way;
  readonly trial: number;
}

/** Answers that a way is measured by, after those that the change itself may have slowed. */
export const measuredAnswers = 16;
export const settlingAnswers = 4;
/** Answers until both ways are tried again; twice as many each time, since a server rarely becomes another. */
export const firstHold = 2_048;
/** One connection has to be this much faster: where it makes no difference, more of them ride out a slow answer. */
export const loneGain = 1.05;

/**
 * Finds out whether a server takes more over one connection or over many. DynamoDB itself is the faster the more it is asked at once; servers
 * that write one item at a time are slowed by connections that fight for their lock, to the half of what one gets through. What stands
 * behind an address cannot be seen, so both ways are tried for some answers, and the faster one is kept. It counts bytes that were sent and
 * answered, only while requests wait: then the rate is the server's own.
 */
export class ConnectionChoice {
  #way: Way = 'one';
  #trial = 0;
  #underWay = 0;
  #left = settlingAnswers;
  #bytes = 0;
  #startedMs: number | undefined;
  #loneRate = 0;
  #hold = firstHold;
  /** Answers until the next trial; undefined during one. */
  #held: number | undefined;

  begin(): Passage {
    this.#underWay += 1;
    return { way: this.#way, trial: this.#trial };
  }

  /** `bytes` of the request and its answer; undefined when it failed. */
  end({ trial }: Passage, bytes: number | undefined, nowMs: number): void {
    this.#underWay -= 1;
    if (trial !== this.#trial) return;
    if (this.#held !== undefined) this.#wait();
    else if (bytes === undefined || this.#underWay === 0) this.#measureAnew();
    else this.#measure(bytes, nowMs);
  }

  #wait(): void {
    this.#held = (this.#held ?? 0) - 1;
    if (this.#held > 0) return;
    this.#hold *= 2;
    this.#held = undefined;
    this.#go('one');
  }

  #measure(bytes: number, nowMs: number): void {
    this.#left -= 1;
    if (this.#left > 0) {
      if (this.#startedMs !== undefined) this.#bytes += bytes;
      return;
    }
    if (this.#startedMs === undefined) {
      this.#startedMs = nowMs;
      this.#left = measuredAnswers;
      return;
    }
    const rate = (this.#bytes + bytes) / (nowMs - this.#startedMs);
    if (this.#way === 'one') {
      this.#loneRate = rate;
      this.#go('many');
    } else {
      this.#held = this.#hold;
      if (this.#loneRate > rate * loneGain) this.#go('one');
    }
  }

  #go(way: Way): void {
    this.#way = way;
    this.#trial += 1;
    this.#measureAnew();
  }

  #measureAnew(): void {
    this.#left = settlingAnswers;
    this.#bytes = 0;
    this.#startedMs = undefined;
  }
}
