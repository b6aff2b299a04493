import { showState } from '../../core/cutover/state-record.ts';
import { showUnits } from '../../core/show/numbers.ts';
import { showMinute } from '../../core/show/times.ts';
import { cutoverStatus, type PatternStatus } from '../../run/cutover/status.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import type { Sheet } from '../show/screen.ts';
import { type Column, renderTable } from '../show/table.ts';
import type spec from './cutover-status.spec.js';

const status: Action<typeof spec> = (context) =>
  withStack(context, {}, async (stack) => {
    const found = await cutoverStatus(stack.read, context.signal);
    context.output.result({ stack: stack.name, patterns: found }, (page) => describe(page, stack.name, found));
    return 0;
  });

const columns: readonly Column[] = [
  { title: 'pattern' },
  { title: 'state', rank: 0 },
  { title: 'since (UTC)', rank: 3 },
  { title: 'index', rank: 2, least: 8 },
  { title: 'backfill', rank: 4, least: 12 },
  { title: 'shadow reads', rank: 1, least: 14 },
];

const tones = { query: 'good', shadow: 'warn', scan: 'warn' } as const;

function describe(page: Sheet, stack: string, found: readonly PatternStatus[]): string {
  const rows = found.map((entry) => [
    entry.pattern,
    { text: showState(entry.state, entry.formerIndex), tone: tones[entry.state] },
    entry.changedAt === '' ? '–' : showMinute(entry.changedAt),
    entry.index ?? '–',
    entry.backfill === null ? '–' : `${entry.backfill} (${entry.backfillState ?? 'not run'})`,
    shadowText(entry),
  ]);
  const cut = found.filter((entry) => entry.state === 'query').length;
  return [renderTable(page, columns, rows), '', `Stack ${stack}: ${cut} of ${found.length} patterns are read by Query.`].join(
    '\n',
  );
}

function shadowText({ shadow, share }: PatternStatus): string {
  if (shadow === null) return '–';
  const { reads, differing, failures, scanUnits, queryUnits } = shadow;
  const units = `${showUnits(scanUnits)} units by the old form, ${showUnits(queryUnits)} by query`;
  return `${reads} (${share * 100} %): ${differing} differing, ${failures} failed; ${units}`;
}

export default status;
