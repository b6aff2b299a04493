import { pricesAsOf } from '../../../tables/model/stack/prices.ts';
import { hasListeners } from '../../core/migrate/listeners.ts';
import { plural, showCost, showDuration, showNumber } from '../../core/show/numbers.ts';
import type { MigrationPlan, StepPlan } from '../../run/migrate/plan.ts';
import type { MigrationCommand } from './open-migrations.ts';

type Planned = Pick<MigrationCommand, 'environment' | 'stack'>;

/** The write budget that a step is held against: the run's own; where it has none, as here, that of the stack. */
export function budgetFor({ environment: { budget, config } }: Planned): number {
  return budget.write === 0 ? config.budgets.write : budget.write;
}

/** `goes on: …`; empty for what was never begun. */
export function howText({ kind, reason }: MigrationPlan): string {
  if (kind === 'fresh') return '';
  return `${{ resume: 'goes on', over: 'from the start', verify: 'only to be verified' }[kind]}: ${reason}`;
}

/** `, 48 s at the budget`; empty where nothing holds it back. */
export function etaText({ partitions, etaSeconds }: StepPlan, budget: number): string {
  const isHot = (partitions?.unitsPerSecond ?? Number.POSITIVE_INFINITY) < budget;
  return etaSeconds > 0 ? `, ${showDuration(etaSeconds)} at ${isHot ? 'what partitions take' : 'the budget'}` : '';
}

/** What all of it takes, and who hears of it. */
export function totalLines(plans: readonly MigrationPlan[], { stack }: Planned): readonly string[] {
  const steps = plans.flatMap((entry) => entry.steps);
  const cost = steps.reduce((sum, step) => sum + (step.cost ?? 0), 0);
  const seconds = steps.reduce((sum, step) => sum + step.etaSeconds, 0);
  const region = stack.config.priceRegion ?? stack.config.region;
  const unknown = steps.some(({ cost: known }) => known === undefined);
  return [
    `${plural(plans.length, 'migration')} pending: ${showNumber(sum(steps, 'read'))} RCU, ${showNumber(sum(steps, 'write'))} WCU, ` +
      `${showCost(cost)} on demand (${region}, prices as of ${pricesAsOf})${unknown ? ', without provisioned tables and unknown prices' : ''}` +
      `${seconds > 0 ? `, about ${showDuration(seconds)} at the budget` : ''}.`,
    ...heardBy(steps),
    'Nothing was written. Verify passes are included.',
  ];
}

/** That nobody hears of it is worth a line, too. */
function heardBy(steps: readonly StepPlan[]): readonly string[] {
  const asked = steps.flatMap(({ listeners, writes }) => (listeners === undefined || writes === 0 ? [] : [listeners]));
  if (asked.length === 0 || asked.some(hasListeners)) return [];
  return ['No stream and no replica of these tables hears of it.'];
}

const sum = (steps: readonly StepPlan[], what: 'read' | 'write'): number =>
  steps.reduce((total, step) => total + step.units[what], 0);
