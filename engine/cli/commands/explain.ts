import { formerPattern, type Pattern } from '../../../tables/model/pattern.ts';
import { type ReadState, showState } from '../../core/cutover/state-record.ts';
import { checkCall } from '../../core/read/checked-call.ts';
import type { Explanation } from '../../core/read/explain-read.ts';
import { plural } from '../../core/show/numbers.ts';
import { explainPattern } from '../../run/read/explain-pattern.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { findPattern, readOptions, readParameters } from '../pattern-arguments.ts';
import type spec from './explain.spec.js';

const explain: Action<typeof spec> = async (context, given) => {
  const pattern = findPattern(context.catalogue, given.pattern);
  const params = readParameters(pattern, given.parameters);
  const options = readOptions(given);
  const { signal } = context;
  return withStack(context, {}, async ({ read }) => {
    // Wrong parameters are told before the stack is asked for anything.
    const call = checkCall(read.tables, pattern, params);
    const explanation = await explainPattern(read, call, options, signal);
    context.output.result(explanation, () => describe(pattern, explanation));
    return 0;
  });
};

function describe(pattern: Pattern, { expected, scan, why, request, way, state, ...rest }: Explanation): string {
  const { records, limited, recordBytes, measured, units } = expected;
  const many = `${plural(records, 'record')} of ${recordBytes} bytes`;
  const basis = `${limited ? (way === 'scan' ? 'all ' : 'at most ') : 'for each '}${many}${measured ? ', the size measured on the table' : ', the size assumed'}`;
  return [
    `${rest.pattern}: ${rest.description}`,
    `${rest.operation} on ${rest.table}${rest.index === null ? '' : `, index ${rest.index}`}`,
    ...(pattern.legacy === undefined ? [] : [stateLine(state, formerPattern(pattern)?.index)]),
    '',
    'Request',
    JSON.stringify(request, null, 2),
    '',
    `Expected   ${units} read units (${basis})`,
    ...(way === 'scan'
      ? [`Instead    'tablewright explain ${rest.pattern} … --way query' shows the query that replaces it`]
      : [
          `A Scan     ${scan === null ? 'size of the table not known' : `${scan.units} read units (all ${scan.records} records of the table, for every read)`}`,
        ]),
    '',
    way === 'scan' ? 'Why it is a Scan' : 'Why it is not a Scan',
    ...why.map((reason) => `  ${reason}`),
  ].join('\n');
}

const meanings: Readonly<Record<ReadState, string>> = {
  scan: "readers still scan; 'tablewright cutover apply' moves them to the query",
  shadow: 'readers still scan, and try the query beside it',
  query: 'readers use the query; it was a Scan once',
};

const ofIndex = (former: string): Readonly<Record<ReadState, string>> => ({
  scan: `readers still use index ${former}; 'tablewright cutover apply' moves them`,
  shadow: `readers still use index ${former}, and try the new one beside it`,
  query: `readers use this index; it was ${former} once`,
});

function stateLine(state: ReadState | null, former: string | undefined): string {
  if (state === null) return "State      not known here; 'tablewright cutover status' tells it where the ledger can be read";
  const meaning = (former === undefined ? meanings : ofIndex(former))[state];
  return `State      ${showState(state, former)}: ${meaning}`;
}

export default explain;
