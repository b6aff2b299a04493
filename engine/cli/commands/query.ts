import { plainJson } from '../../core/item/plain-json.ts';
import { checkCall } from '../../core/read/checked-call.ts';
import { plural } from '../../core/show/numbers.ts';
import { presentStates } from '../../run/cutover/present-states.ts';
import { planByState, sendPlan } from '../../run/read/read-pattern.ts';
import { consumedWith, nothingConsumed } from '../../run/read/reading.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { findPattern, readOptions, readParameters } from '../pattern-arguments.ts';
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
      for (const item of page.items) output.raw(plainJson(item, common.json ? '' : '  '));
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

export default query;
