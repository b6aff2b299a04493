import { showUnits } from '../../core/show/numbers.ts';
import { cutoverStatus, type PatternStatus } from '../../run/cutover/status.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { renderTable } from '../show/table.ts';
import type spec from './cutover-status.spec.js';

const status: Action<typeof spec> = (context) =>
  withStack(context, {}, async (stack) => {
    const found = await cutoverStatus(stack.read, context.signal);
    context.output.result({ stack: stack.name, patterns: found }, () => describe(stack.name, found));
    return 0;
  });

function describe(stack: string, found: readonly PatternStatus[]): string {
  const rows = found.map((entry) => [
    entry.pattern,
    entry.state,
    entry.changedAt === '' ? '–' : entry.changedAt,
    entry.index ?? '–',
    entry.backfill === null ? '–' : `${entry.backfill} (${entry.backfillState ?? 'not run'})`,
    shadowText(entry),
  ]);
  const cut = found.filter((entry) => entry.state === 'query').length;
  return [
    renderTable(['pattern', 'state', 'since', 'index', 'backfill', 'shadow reads'], rows),
    '',
    `Stack ${stack}: ${cut} of ${found.length} patterns are read by Query.`,
  ].join('\n');
}

function shadowText({ shadow, share }: PatternStatus): string {
  if (shadow === null) return '–';
  const { reads, differing, failures, scanUnits, queryUnits } = shadow;
  const units = `${showUnits(scanUnits)} units by scan, ${showUnits(queryUnits)} by query`;
  return `${reads} (${share * 100} %): ${differing} differing, ${failures} failed; ${units}`;
}

export default status;
