import type { AttributeValue } from '../../../tables/model/attribute-value.ts';
import { plainJson } from '../../core/item/plain-json.ts';
import type { GuardedChange } from '../../core/migrate/decide-item.ts';
import { tablesOfMigration } from '../../core/migrate/define-migration.ts';
import { showCost, showNumber } from '../../core/show/numbers.ts';
import type { MigrationPlan, StepPlan } from '../../run/migrate/plan.ts';
import type { Action } from '../context.ts';
import { countsText } from '../migrate/migrate-renderer.ts';
import { nothingToDo } from '../migrate/nothing-to-do.ts';
import { type MigrationCommand, openMigrations } from '../migrate/open-migrations.ts';
import { planPending, planValue } from '../migrate/plan-pending.ts';
import { budgetFor, etaText, howText, totalLines } from '../migrate/plan-words.ts';
import { renderListeners } from '../migrate/render-listeners.ts';
import { renderPartitions } from '../migrate/render-partitions.ts';
import { resolveId } from '../migrate/resolve-id.ts';
import { neededWarmth, planWarm, warmLines } from '../migrate/warm.ts';
import type spec from './plan.spec.js';

const plan: Action<typeof spec> = async (context, given) => {
  await using command = await openMigrations(context, given);
  const { phase, accept } = given;
  const request = { to: given.to === undefined ? undefined : resolveId(command, given.to), phase, accept };
  const { runs, plans } = await planPending(command, request, given.sample, context.signal);
  const touched = runs.flatMap(({ source }) => tablesOfMigration(source.migration));
  const units = given.warm ?? budgetFor(command);
  const warming = await planWarm(context, command.stack, touched, units);
  const warmed = given.warm === undefined ? neededWarmth(warming, units) : warmLines(warming, units);
  const isTold = given.warm !== undefined || warming.length > 0;
  const value = { plans: plans.map(planValue), ...(isTold ? { warming } : {}) };
  context.output.result(value, () => (plans.length === 0 ? nothingToDo(phase) : [render(plans, command), ...warmed].join('\n')));
  return 0;
};

function render(plans: readonly MigrationPlan[], command: MigrationCommand): string {
  const budget = budgetFor(command);
  return [...plans.flatMap((one) => renderPlan(one, budget)), '', ...totalLines(plans, command)].join('\n');
}

function renderPlan(one: MigrationPlan, budget: number): readonly string[] {
  const { id, description, phase, steps } = one;
  const how = howText(one);
  return [
    '',
    `${id}${phase === undefined ? '' : ` [${phase}]`}${how === '' ? '' : ` (${how})`}`,
    `  ${description}`,
    ...steps.flatMap((step) => renderStep(step, budget)),
  ];
}

function renderStep(step: StepPlan, budget: number): readonly string[] {
  const hints = step.hints.map((hint) => `    ${hint}`);
  if (step.table === undefined) return [`  ${step.step}`, ...hints];
  const sampled = step.sampled === undefined ? '' : `, from a sample of ${showNumber(step.sampled)}`;
  const cost = step.cost === undefined ? '' : `, ${showCost(step.cost)}`;
  return [
    `  ${step.step} (${step.table})`,
    `    ${countsText(step.counts).replace('changed', 'to change')}${sampled}`,
    `    ${showNumber(step.units.read)} RCU, ${showNumber(step.units.write)} WCU with index writes${cost}${etaText(step, budget)}`,
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
