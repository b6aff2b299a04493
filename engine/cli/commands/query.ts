import type { Item } from '../../../tables/model/attribute-value.ts';
import type { Table } from '../../../tables/model/table.ts';
import { plainJson } from '../../core/item/plain-json.ts';
import { checkCall, tableOf } from '../../core/read/checked-call.ts';
import { plural } from '../../core/show/numbers.ts';
import { presentStates } from '../../run/cutover/present-states.ts';
import { planByState, sendPlan } from '../../run/read/read-pattern.ts';
import { consumedWith, nothingConsumed } from '../../run/read/reading.ts';
import type { Action, Context } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { findPattern, readOptions, readParameters } from '../pattern-arguments.ts';
import { renderRecords } from '../show/records.ts';
import type spec from './query.spec.js';

const query: Action<typeof spec> = async (context, given) => {
  const pattern = findPattern(context.catalogue, given.pattern);
  const params = readParameters(pattern, given.parameters);
  const { signal, output, common } = context;
  return withStack(context, {}, async ({ read: environment }) => {
    const call = checkCall(environment.tables, pattern, params);
    const states = presentStates(environment, signal);
    const plan = await planByState({ environment, states }, call, readOptions(given), signal);
    let consumed = nothingConsumed;
    for await (const page of sendPlan(environment, plan, { signal })) {
      show(context, tableOf(environment.tables, pattern), page.items, given.raw);
      consumed = consumedWith(consumed, page);
    }
    const { records, pages, units, way } = consumed;
    const answer = pattern.answer === 'exists' ? ` — ${records > 0 ? 'yes' : 'no'}` : '';
    const text = `${plural(records, 'record')}, ${plural(pages, 'page')}, ${units} read units, by ${way}${answer}`;
    // With --json the records alone go to the output, one a line.
    const event = { event: 'done', records, pages, units, way } as const;
    if (common.json) output.aside(event, text);
    else output.note(event, text);
    return 0;
  });
};

/** One a line with --json, as it is stored with --raw; else decoded, a table a page. */
function show({ output, common }: Context, table: Table, items: readonly Item[], raw: boolean): void {
  if (common.json || raw) for (const item of items) output.raw(plainJson(item, common.json ? '' : '  '));
  else if (items.length > 0) output.raw(renderRecords(output.page, table, items, Date.now()));
}

export default query;
