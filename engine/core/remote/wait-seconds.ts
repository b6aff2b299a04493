/** Long enough for an invocation to cost nothing, short enough for whoever looks on. */
const leastSeconds = 10;
/** A quarter of the lease, which nobody extends meanwhile; a stop is seen no later than this. */
const mostSeconds = 300;
const share = 0.01;

/**
 * How long the state machine rests before it asks again: a hundredth of the time that the execution has run. A round of its loop is nine events, and an
 * execution's history takes 25,000 (Step Functions Developer Guide, "Service quotas"): ten seconds each would be the end of it after eight hours, so
 * it is good for eight days.
 */
export function waitSeconds(ranMs: number): number {
  return Math.min(mostSeconds, Math.max(leastSeconds, Math.floor((ranMs / 1_000) * share)));
}
