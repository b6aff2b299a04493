import { setFlagsFromString } from 'node:v8';

/** The heap may grow by this part of what is alive before it is collected; V8 itself lets it double and more. */
const heapGrowthPercent = 20;
/** Of rows that are read twice and digested: half the memory that V8 would take, at a few percent more of the processor. */
export const fixtureGrowthPercent = 50;

/**
 * For work that streams millions of rows: it makes much garbage and keeps little, and left alone V8 would take twice the memory
 * to collect half as often.
 */
export function keepMemorySteady(growthPercent = heapGrowthPercent): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}

/** For rows that each make some garbage in a small space: threads that help to clear it take more time than they save. */
export function clearAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}
