import type { AttributeValue } from '../../../tables/model/attribute-value.ts';
import { pricesAsOf } from '../../../tables/model/stack/prices.ts';
import { plainJson } from '../../core/item/plain-json.ts';
import type { GuardedChange } from '../../core/migrate/decide-item.ts';
import { tablesOfMigration } from '../../core/migrate/define-migration.ts';
import { hasListeners } from '../../core/migrate/listeners.ts';
import { plural, showCost, showDuration, showNumber } from '../../core/show/numbers.ts';
import type { MigrationPlan, StepPlan } from '../../run/migrate/plan.ts';
import type { Action } from '../context.ts';
import { countsText } from '../migrate/migrate-renderer.ts';
import { nothingToDo } from '../migrate/nothing-to-do.ts';
import { type MigrationCommand, openMigrations } from '../migrate/open-migrations.ts';
import { planPending, planValue } from '../migrate/plan-pending.ts';
import { renderListeners } from '../migrate/render-listeners.ts';
import { renderPartitions } from '../migrate/render-partitions.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { planWarm, warmLines } from '../migrate/warm.ts';
import type spec from './plan.spec.js';

const plan: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(context, given);
  const { phase, accept } = given;
  const request = { to: given.to === undefined ? undefined : resolveId(command, given.to), phase, accept };
  const { runs, plans } = await planPending(command, request, given.sample, context.signal);
  const touched = runs.flatMap(({ source }) => tablesOfMigration(source.migration));
  const warming = given.warm === undefined ? [] : await planWarm(context, command.stack, touched, given.warm);
  const warmed = given.warm === undefined ? [] : warmLines(warming, given.warm);
  const value = { plans: plans.map(planValue), ...(given.warm === undefined ? {} : { warming }) };
  context.output.result(value, () => (plans.length === 0 ? nothingToDo(phase) : [render(plans, command), ...warmed].join('\n')));
  return 0;
};

/** The write budget that a step is held against: the run's own; where it has none, as here, that of the stack. */
function budgetFor({ environment: { budget, config } }: MigrationCommand): number {
  return budget.write === 0 ? config.budgets.write : budget.write;
}

function render(plans: readonly MigrationPlan[], command: MigrationCommand): string {
  const { stack } = command;
  const steps = plans.flatMap((entry) => entry.steps);
  const cost = steps.reduce((sum, step) => sum + (step.cost ?? 0), 0);
  const seconds = steps.reduce((sum, step) => sum + step.etaSeconds, 0);
  const region = stack.config.priceRegion ?? stack.config.region;
  const unknown = steps.some(({ cost: known }) => known === undefined);
  return [
    ...plans.flatMap((one) => renderPlan(one, budgetFor(command))),
    '',
    `${plural(plans.length, 'migration')} pending: ${showNumber(sum(steps, 'read'))} RCU, ${showNumber(sum(steps, 'write'))} WCU, ` +
      `${showCost(cost)} on demand (${region}, prices as of ${pricesAsOf})${unknown ? ', without provisioned tables and unknown prices' : ''}` +
      `${seconds > 0 ? `, about ${showDuration(seconds)} at the budget` : ''}.`,
    ...heardBy(steps),
    'Nothing was written. Verify passes are included.',
  ].join('\n');
}

/** That nobody hears of it is worth a line, too. */
function heardBy(steps: readonly StepPlan[]): readonly string[] {
  const asked = steps.flatMap(({ listeners, writes }) => (listeners === undefined || writes === 0 ? [] : [listeners]));
  if (asked.length === 0 || asked.some(hasListeners)) return [];
  return ['No stream and no replica of these tables hears of it.'];
}

const sum = (steps: readonly StepPlan[], what: 'read' | 'write'): number =>
  steps.reduce((total, step) => total + step.units[what], 0);

function renderPlan({ id, description, phase, kind, reason, steps }: MigrationPlan, budget: number): readonly string[] {
  const how =
    kind === 'fresh' ? '' : ` (${{ resume: 'goes on', over: 'from the start', verify: 'only to be verified' }[kind]}: ${reason})`;
  return [
    '',
    `${id}${phase === undefined ? '' : ` [${phase}]`}${how}`,
    `  ${description}`,
    ...steps.flatMap((step) => renderStep(step, budget)),
  ];
}

function renderStep(step: StepPlan, budget: number): readonly string[] {
  const hints = step.hints.map((hint) => `    ${hint}`);
  if (step.table === undefined) return [`  ${step.step}`, ...hints];
  const sampled = step.sampled === undefined ? '' : `, from a sample of ${showNumber(step.sampled)}`;
  const cost = step.cost === undefined ? '' : `, ${showCost(step.cost)}`;
  const isHot = (step.partitions?.unitsPerSecond ?? Number.POSITIVE_INFINITY) < budget;
  const eta = step.etaSeconds > 0 ? `, ${showDuration(step.etaSeconds)} at ${isHot ? 'what partitions take' : 'the budget'}` : '';
  return [
    `  ${step.step} (${step.table})`,
    `    ${countsText(step.counts).replace('changed', 'to change')}${sampled}`,
    `    ${showNumber(step.units.read)} RCU, ${showNumber(step.units.write)} WCU with index writes${cost}${eta}`,
    ...(step.partitions === undefined ? [] : renderPartitions(step.partitions, budget)).map((line) => `    ${line}`),
    ...renderListeners(step).map((line) => `    ${line}`),
    ...hints,
    ...step.differences.flatMap(({ key, change }) => [`    ${key}`, ...renderChange(change)]),
    ...step.poison.map(({ key, reason }) => `    ! ${key}: ${reason}`),
  ];
}

function renderChange(change: GuardedChange): readonly string[] {
  if (change.kind === 'insert') return [`      + ${plainJson(change.item)}`];
  const shown = (name: string, value: AttributeValue) => plainJson({ [name]: value }).slice(1, -1);
  return [
    ...Object.entries(change.before).map(([name, value]) => `      - ${shown(name, value)}`),
    ...Object.entries(change.set).map(([name, value]) => `      + ${shown(name, value)}`),
  ];
}

export default plan;
