import { requestCost } from '../../../tables/model/stack/prices.ts';
import { keyNames } from '../../../tables/model/table.ts';
import { writeUnits } from '../capacity/write-units.ts';
import { unitsFor } from '../read/explain-read.ts';
import { showCost, showNumber } from '../show/numbers.ts';
import { adviseIndex } from '../tables/advise-index.ts';
import type { ConsumedUnits } from './counts.ts';
import type { DropIndexStep, PassStep } from './define-migration.ts';

/** A line for each index whose key the step fills, where natural attributes would do without. */
export function naturalHints(step: PassStep): readonly string[] {
  if (step.kind !== 'backfill' || step.writes === undefined) return [];
  const { table, writes } = step;
  return table.indexes.flatMap((index) => {
    if (!keyNames(index).some((name) => writes.includes(name))) return [];
    const advice = adviseIndex(table, index);
    if (advice.verdict !== 'could be natural') return [];
    const names = [...advice.hash, ...advice.range].join(', ');
    return [`${index.name} could stand on ${names} and need no backfill: 'tablewright advise indexes --table ${table.name}'`];
  });
}

export interface TableSize {
  readonly items: number;
  readonly bytes: number;
}

/** What going back costs once the index is dropped: its keys are written again, and a new index is filled. */
export function wayBackUnits({ table }: DropIndexStep, { items, bytes }: TableSize): ConsumedUnits {
  if (items === 0) return { read: 0, write: 0 };
  const each = writeUnits(bytes / items);
  const whole = table.indexes.filter(({ projection }) => projection === 'ALL').length;
  // The backfill reads the table once and the verify pass once more, consistently; the new index is filled by one write a record.
  return { read: unitsFor(bytes) * 3, write: items * each * (1 + whole + 1) };
}

/** What the plan of a drop says of the way back. */
export function wayBackHint(step: DropIndexStep, size: TableSize, region: string): string {
  const units = wayBackUnits(step, size);
  const cost = requestCost(region, units);
  const price = cost === undefined ? '' : `, ${showCost(cost)} on demand`;
  return `Until then a rollback goes back at once. Afterwards the way back is a backfill of ${showNumber(size.items)} records and a new index: ${showNumber(units.read)} RCU, ${showNumber(units.write)} WCU${price}`;
}
