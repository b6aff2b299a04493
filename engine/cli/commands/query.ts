import { plainJson } from '../../core/item/plain-json.ts';
import { readPattern } from '../../run/read/read-pattern.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { findPattern, readParameters } from '../pattern-arguments.ts';
import { readEnvironment } from '../read-environment.ts';
import type spec from './query.spec.js';

const query: Action<typeof spec> = async (context, given) => {
  const pattern = findPattern(context.catalogue, given.pattern);
  const params = readParameters(pattern, given.parameters);
  const most = given.limit ?? Number.POSITIVE_INFINITY;
  return withStack(context, {}, async (stack) => {
    let items = 0;
    let units = 0;
    let pages = 0;
    for await (const page of readPattern(readEnvironment(stack), pattern, params, context.signal)) {
      const shown = page.items.slice(0, most - items);
      for (const item of shown) context.output.raw(plainJson(item, context.common.json ? '' : '  '));
      items += shown.length;
      units += page.units;
      pages += 1;
      if (items >= most) break;
    }
    const answer = pattern.answer === 'exists' ? ` — ${items > 0 ? 'yes' : 'no'}` : '';
    const text = `${items} ${items === 1 ? 'record' : 'records'}, ${pages} ${pages === 1 ? 'page' : 'pages'}, ${units} read units${answer}`;
    if (!context.common.json) context.output.note({ event: 'done', items, pages, units }, text);
    return 0;
  });
};

export default query;
