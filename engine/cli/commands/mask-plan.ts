import { randomBytes } from 'node:crypto';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { entityOf } from '../../../tables/model/item.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { plural } from '../../core/show/numbers.ts';
import { itemMasker } from '../../core/transfer/mask/mask-item.ts';
import { showRule } from '../../core/transfer/mask/mask-rules.ts';
import { type AttributePlan, MaskPlan } from '../../core/transfer/mask/plan-mask.ts';
import { scanPages } from '../../run/store/read-pages.ts';
import { budgetedRead } from '../budget-of.ts';
import type { Action, Context } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { harmless, padText, textWidth } from '../show/text-width.ts';
import { findTable } from '../transfer/find-table.ts';
import { keyedHash, type MaskRules, maskKeyVariable, readMaskRules } from '../transfer/read-mask.ts';
import { showTally } from '../transfer/show-tally.ts';
import type spec from './mask-plan.spec.js';

const maskPlan: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    const rules = await readMaskRules(context, given.file, 'mask plan');
    const all = stack.tables.filter(({ system }) => system !== 'tablewright');
    const tables = given.table.length === 0 ? all : given.table.map((name) => findTable(stack, name).table);
    const secret = context.env[maskKeyVariable] ?? randomBytes(32).toString('hex');
    const hash = keyedHash(secret);
    const refused: string[] = [];
    for (const table of tables) {
      const planned = await planTable(context, stack, rules, table, hash, given);
      refused.push(...planned.refused);
      context.output.result({ event: 'mask-plan', ...planned }, () => showPlan(planned).join('\n'));
    }
    if (refused.length === 0) return 0;
    throw new TablewrightError('CHECK_FAILED', `${given.file}: a masked export would be refused`, {
      problems: refused,
      next: `Correct ${given.file}, then plan again.`,
    });
  });

interface PlannedTable {
  readonly table: string;
  readonly records: number;
  readonly attributes: readonly AttributePlan[];
  /** What the rules did, as an export tells it. */
  readonly rules: readonly string[];
  readonly refused: readonly string[];
}

async function planTable(
  context: Context,
  stack: OpenStack,
  rules: MaskRules,
  table: Table,
  hash: ReturnType<typeof keyedHash>,
  { sample, rate }: { readonly sample: number; readonly rate: number | undefined },
): Promise<PlannedTable> {
  const bound = rules.ofTable(table);
  const masker = itemMasker(bound, hash);
  const plan = new MaskPlan(bound);
  const refused = new Set<string>();
  let records = 0;
  for await (const item of sampled(context, stack, table, sample, rate)) {
    records += 1;
    try {
      const after = masker.apply(item);
      if (after !== undefined) plan.add(entityOf(table, item)?.name ?? '(no entity)', item, after);
    } catch (error) {
      if (!(error instanceof TablewrightError)) throw error;
      for (const problem of error.problems.length > 0 ? error.problems : [error.message]) refused.add(problem);
    }
  }
  const shown = showTally(bound.rules, masker.take());
  return { table: table.name, records, attributes: plan.attributes(), rules: shown, refused: [...refused] };
}

async function* sampled(
  { signal }: Context,
  stack: OpenStack,
  table: Table,
  sample: number,
  rate: number | undefined,
): AsyncGenerator<Item> {
  const request = { TableName: physicalName(table, stack.config), Limit: sample };
  let left = sample;
  for await (const { items } of scanPages(budgetedRead(stack, rate), request, signal)) {
    for (const item of items.slice(0, left)) yield item;
    left -= items.length;
    if (left <= 0) return;
  }
}

function showPlan({ table, records, attributes, rules }: PlannedTable): readonly string[] {
  const lines = [`${table}: ${plural(records, 'record')} looked at`, ...rules];
  for (const entity of new Set(attributes.map((one) => one.entity))) {
    const own = attributes.filter((one) => one.entity === entity);
    const width = Math.max(...own.map(({ attribute }) => textWidth(harmless(attribute))));
    lines.push(`  ${entity}`);
    for (const one of own) lines.push(`    ${showAttribute(one, width)}`);
  }
  return lines;
}

function showAttribute({ attribute, rule, records, changed, examples, freeText }: AttributePlan, width: number): string {
  const state = changed > 0 ? 'masked  ' : 'UNMASKED';
  const why =
    changed === 0 ? '' : rule === undefined ? ', holds what rules mask elsewhere' : `, rule ${rule.at + 1}: ${showRule(rule)}`;
  const remark = freeText ? `, free text: may tell of ${changed > 0 ? 'others' : 'anybody'}` : '';
  const shown = examples.map(harmless).join(' | ');
  return `${state}  ${padText(harmless(attribute), width)}  ${changed > 0 ? `${changed} of ` : ''}${records}${why}${remark}: ${shown}`;
}

export default maskPlan;
