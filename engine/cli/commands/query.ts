import { TablewrightError } from '../../../tables/model/error.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { patternsOf } from '../../../tables/tables.ts';
import { plainJson } from '../../core/plain-json.ts';
import { readPattern } from '../../run/read-pattern.ts';
import type { CommandFunction, Context } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { readEnvironment } from '../read-environment.ts';

const query: CommandFunction = async (context, [name, words], options) => {
  const pattern = findPattern(context, String(name));
  const params = readParameters(pattern, (words as readonly string[] | undefined) ?? []);
  const most = (options.limit as number | undefined) ?? Number.POSITIVE_INFINITY;
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

function findPattern({ catalogue }: Context, name: string): Pattern {
  const patterns = patternsOf(catalogue);
  const exact = patterns.find((pattern) => pattern.name === name);
  if (exact !== undefined) return exact;
  const near = patterns
    .filter((pattern) => pattern.name.toLowerCase().includes(name.toLowerCase()))
    .map((pattern) => pattern.name);
  throw new TablewrightError('UNKNOWN_NAME', `there is no pattern ${name}`, {
    next: near.length > 0 ? `Did you mean ${near.join(', ')}?` : "'tablewright patterns' lists all.",
  });
}

/** `name=value` words; a value may itself contain `=`. */
function readParameters(pattern: Pattern, words: readonly string[]): Readonly<Record<string, string>> {
  const problems: string[] = [];
  const params: Record<string, string> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, at);
    if (at < 1) problems.push(`${word}: expected name=value`);
    else if (name in params) problems.push(`${name}: given twice`);
    else params[name] = word.slice(at + 1);
  }
  if (problems.length === 0) return params;
  throw new TablewrightError('BAD_ARGUMENT', `${pattern.name}: the parameters cannot be read`, {
    problems,
    next: `It takes ${Object.keys(pattern.params).join(', ') || 'no parameters'}.`,
  });
}

export default query;
