import { type ApplyOutcome, applyCutover } from '../../run/cutover/apply-cutover.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action } from '../context.ts';
import { cutoverEnvironment } from '../cutover/cutover-environment.ts';
import { parityProgress } from '../cutover/parity-progress.ts';
import { describeDifferences, shownUnits } from '../cutover/render-parity.ts';
import { selectPatterns } from '../cutover/select-patterns.ts';
import { withStack } from '../open-stack.ts';
import type { Sheet } from '../show/screen.ts';
import { type Column, renderTable } from '../show/table.ts';
import type spec from './cutover-apply.spec.js';

const apply: Action<typeof spec> = (context, { patterns: names, all, yes }) =>
  withStack(context, {}, async (stack) => {
    const patterns = selectPatterns(stack.tables, names, all);
    await confirmProduction(context, stack.config, yes, `cut-over of ${patterns.length} patterns`);
    const environment = cutoverEnvironment(context, stack);
    const outcomes: ApplyOutcome[] = [];
    // Each for itself: a pattern that is refused does not hold back the others.
    const { clear, ...progress } = parityProgress(context);
    try {
      for (const pattern of patterns) outcomes.push(await applyCutover(environment, pattern, progress));
    } finally {
      clear();
    }
    const refused = outcomes.filter((entry) => entry.outcome === 'refused').length;
    context.output.result({ stack: stack.name, refused, outcomes }, (page) => describe(page, outcomes, refused));
    return refused === 0 ? 0 : 1;
  });

const columns: readonly Column[] = [
  { title: 'pattern' },
  { title: 'read by', rank: 0 },
  { title: 'values', rank: 4, right: true },
  { title: 'records', rank: 3, right: true },
  { title: 'old units', rank: 2, right: true },
  { title: 'query units', rank: 2, right: true },
  { title: 'because', rank: 1, least: 12 },
];

function describe(page: Sheet, outcomes: readonly ApplyOutcome[], refused: number): string {
  const rows = outcomes.map((entry) => [
    entry.pattern,
    entry.outcome === 'refused'
      ? { text: 'refused', tone: 'bad' as const }
      : entry.outcome === 'already'
        ? 'query already'
        : 'query',
    entry.report?.values ?? '–',
    entry.report?.records ?? '–',
    entry.report === undefined ? '–' : shownUnits(entry.report.cost.scan),
    entry.report === undefined ? '–' : shownUnits(entry.report.cost.query),
    entry.outcome === 'refused' ? entry.reasons.join('; ') : 'parity holds',
  ]);
  const total = outcomes.length;
  return [
    renderTable(page, columns, rows),
    ...outcomes.flatMap(({ report }) => (report === undefined ? [] : describeDifferences(page, report))),
    '',
    refused === 0
      ? `${total === 1 ? 'The pattern is' : `All ${total} patterns are`} read by Query, proven now.`
      : `${refused} of ${total} patterns were refused; each is read as before.`,
    ...endangered(outcomes),
  ].join('\n');
}

/** A pattern that is read by Query already and fails the proof gives wrong answers. */
function endangered(outcomes: readonly ApplyOutcome[]): readonly string[] {
  const names = outcomes.flatMap((entry) => (entry.outcome === 'refused' && entry.state === 'query' ? [entry.pattern] : []));
  if (names.length === 0) return [];
  return [`Read by Query all the same: run 'tablewright cutover revert ${names.join(' ')}' until the records are right.`];
}

export default apply;
