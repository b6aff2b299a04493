import { causeNames } from '../../core/cutover/likely-cause.ts';
import type { ParityReport } from '../../core/cutover/parity-report.ts';
import { showPartition } from '../../core/cutover/partition-values.ts';
import { showUnits } from '../../core/show/numbers.ts';
import { type Cell, renderTable } from '../show/table.ts';

/** Differences shown as text; `--json` has them all. */
export const maxShownParityDifferences = 20;

export const parityHeader: readonly string[] = ['pattern', 'index', 'values', 'records', 'scan units', 'query units', 'parity'];

const outcomes = { holds: 'holds', differs: 'differs', unsettled: 'not proven', 'not-readable': 'not readable' } as const;

export function parityRow({ pattern, index, indexStatus, values, records, cost, outcome }: ParityReport): readonly Cell[] {
  return [
    pattern,
    index === null ? '–' : indexStatus === 'ACTIVE' ? index : `${index} (${indexStatus})`,
    values,
    records,
    shownUnits(cost.scan),
    shownUnits(cost.query),
    outcomes[outcome],
  ];
}

export function shownUnits(units: number): string {
  return showUnits(units).padStart(10);
}

/** What keeps a pattern from parity, record by record. */
export function describeDifferences(report: ParityReport): readonly string[] {
  const { pattern, differences, truncated, unsettled, outcome, index, indexStatus } = report;
  if (outcome === 'not-readable') return ['', `${pattern}: ${causeNames['index-building']}: ${index} is ${indexStatus}`];
  const rows = differences
    .slice(0, maxShownParityDifferences)
    .map(({ kind, key, value, cause, detail }) => [kind, key, showPartition(value), causeNames[cause], detail]);
  const more = differences.length - rows.length;
  return [
    ...(differences.length === 0
      ? []
      : [
          '',
          `${pattern}: ${differences.length}${truncated ? ' or more' : ''} ${differences.length === 1 ? 'difference' : 'differences'}`,
          renderTable(['kind', 'key', 'asked for', 'likely cause', ''], rows),
          ...(more > 0 ? [`… and ${more} more; --json lists them`] : []),
        ]),
    ...(unsettled.length === 0
      ? []
      : ['', `${pattern}: changing at every look: ${unsettled.slice(0, maxShownParityDifferences).join(', ')}`]),
  ];
}
