import type { PartitionLimit, PartitionPlan } from '../../core/migrate/partition-plan.ts';
import { plural, showNumber, showShare } from '../../core/show/numbers.ts';

const maxKeyLength = 40;

/** `(STATUS#OPEN)`, from the key's DynamoDB JSON; nothing where no key stands out. */
export function shownKey(largest: string | undefined): string {
  if (largest === undefined) return '';
  const [value] = Object.values(JSON.parse(largest) as Record<string, unknown>);
  const text = String(value);
  return ` (${text.length > maxKeyLength ? `${text.slice(0, maxKeyLength)}…` : text})`;
}

export const shownPart = (part: string): string => (part === '' ? 'the table' : part);

const rate = (units: number): string => showNumber(Math.floor(units));

function limitLine({ part, keys, exact, largest, share, ownUnitsPerSecond, unitsPerSecond }: PartitionLimit): string {
  const count = `${exact ? '' : 'about '}${plural(keys, 'key')}`;
  const allows = `${rate(ownUnitsPerSecond)} of its units/s, ${rate(unitsPerSecond)} of all`;
  return `${shownPart(part)}: ${count}, the largest${shownKey(largest)} gets ${showShare(share)}: a partition allows ${allows}`;
}

/** What partition keys mean for the rate of a step. `budget`: that of the stack, also where this run has none. */
export function renderPartitions(plan: PartitionPlan, budget: number): readonly string[] {
  return [...plan.limits.map(limitLine), ...partitionNotes(plan, budget)];
}

/** The same without each part's own line. */
export function partitionNotes(plan: PartitionPlan, budget: number): readonly string[] {
  const { segments, segmentUnitsPerSecond, unitsPerSecond, heldBy } = plan;
  const reach = `${plural(segments, 'segment')} ${segments === 1 ? 'reaches' : 'reach'} as many partitions of the table: ${rate(segmentUnitsPerSecond)} of all`;
  return [reach, unitsPerSecond < budget ? tooHot(unitsPerSecond, heldBy, budget) : roomy(plan, budget)];
}

function roomy({ unitsPerSecond }: PartitionPlan, budget: number): string {
  return `partitions take ${rate(unitsPerSecond)} units/s, the budget is ${showNumber(budget)}`;
}

function tooHot(unitsPerSecond: number, heldBy: string, budget: number): string {
  const holds = heldBy === 'segments' ? 'the segments' : shownPart(heldBy);
  const helps =
    heldBy === 'segments'
      ? 'more --segments, or a lower rate'
      : 'write sharding (a suffix that spreads the key over several), a sparse key (fewer items in the index), or a lower rate';
  return `! partitions take ${rate(unitsPerSecond)} units/s (${holds}), less than the budget of ${showNumber(budget)}: the run starts there. What helps: ${helps} (--rate ${Math.floor(unitsPerSecond)} leaves the application its part)`;
}
