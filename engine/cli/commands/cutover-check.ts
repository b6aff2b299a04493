import type { ParityReport } from '../../core/cutover/parity-report.ts';
import { showUnits } from '../../core/show/numbers.ts';
import { checkParity } from '../../run/cutover/check-parity.ts';
import { loadStates } from '../../run/cutover/read-states.ts';
import { budgetedRead } from '../budget-of.ts';
import type { Action } from '../context.ts';
import { parityProgress } from '../cutover/parity-progress.ts';
import { describeDifferences, parityColumns, parityRow } from '../cutover/render-parity.ts';
import { selectPatterns } from '../cutover/select-patterns.ts';
import { withStack } from '../open-stack.ts';
import type { Sheet } from '../show/screen.ts';
import { renderTable } from '../show/table.ts';
import type spec from './cutover-check.spec.js';

const check: Action<typeof spec> = (context, { patterns: names, all }) =>
  withStack(context, {}, async (stack) => {
    const patterns = selectPatterns(stack.tables, names, all);
    const reports: ParityReport[] = [];
    const read = budgetedRead(stack);
    const { clear, ...progress } = parityProgress(context);
    try {
      for (const pattern of patterns) reports.push(await checkParity(read, pattern, progress));
    } finally {
      clear();
    }
    const proven = reports.filter((report) => report.outcome === 'holds').length;
    const states = await loadStates(read, { signal: context.signal });
    const wrong = reports.filter(({ pattern, outcome }) => outcome === 'differs' && states.get(pattern)?.state === 'query');
    const wrongNow = wrong.map(({ pattern }) => pattern);
    const value = { stack: stack.name, proven, total: reports.length, wrongNow, reports };
    context.output.result(value, (page) => describe(page, reports, proven, wrongNow));
    return proven === reports.length ? 0 : 1;
  });

function describe(page: Sheet, reports: readonly ParityReport[], proven: number, wrong: readonly string[]): string {
  const settled = reports.reduce((sum, report) => sum + report.settled, 0);
  const units = reports.reduce((sum, report) => sum + report.units, 0);
  const writers = settled === 0 ? '' : ` First differences that were gone at the second look, other writers at work: ${settled}.`;
  return [
    renderTable(page, parityColumns, reports.map(parityRow)),
    ...reports.flatMap((report) => describeDifferences(page, report)),
    '',
    `Parity holds for ${proven} of ${reports.length} patterns; the check took ${showUnits(units)} read units.${writers}`,
    ...(wrong.length === 0
      ? []
      : [`Readers get these by Query now: 'tablewright cutover revert ${wrong.join(' ')}' gives them the right answer at once.`]),
  ].join('\n');
}

export default check;
