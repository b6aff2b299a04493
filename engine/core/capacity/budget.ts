import { TablewrightError } from '../../../tables/model/error.ts';

/**
 * How much of a table's capacity may be used, in units per second, index units included. A share is of what is provisioned
 * for the table and its indexes together, since what is consumed counts both.
 */
export type Budget =
  | { readonly unitsPerSecond: number }
  | { readonly share: number; readonly provisioned: ReadonlyMap<string, number> }
  | { readonly unlimited: true };

/** A table's budget in units per second; Infinity when there is none. */
export function budgetUnits(budget: Budget, table: string): number {
  if ('unlimited' in budget) return Number.POSITIVE_INFINITY;
  if ('unitsPerSecond' in budget) return positive(budget.unitsPerSecond, `a budget of ${budget.unitsPerSecond} units/s`);
  if (!(budget.share > 0 && budget.share <= 1)) {
    throw new TablewrightError('BAD_ARGUMENT', `a share of ${budget.share} of the capacity: expected more than 0, at most 1`);
  }
  const provisioned = budget.provisioned.get(table);
  if (provisioned === undefined || provisioned <= 0) {
    throw new TablewrightError('BAD_ARGUMENT', `${table}: a share of its capacity was asked for, but it is on demand`, {
      next: 'Give the budget in units per second instead (--rate N).',
    });
  }
  return positive(provisioned * budget.share, `${table}: a budget of ${provisioned * budget.share} units/s`);
}

function positive(units: number, what: string): number {
  if (Number.isFinite(units) && units > 0) return units;
  throw new TablewrightError('BAD_ARGUMENT', `${what}: expected more than 0`);
}
