export const firstBackoffMs = 50;
export const maxBackoffMs = 5_000;

/** Full jitter: anything from nothing to an exponentially growing bound, so that many callers do not return at once. */
export function backOffMs(attempt: number, random: number): number {
  return Math.floor(random * Math.min(maxBackoffMs, firstBackoffMs * 2 ** attempt));
}
