import { causeNames } from '../../core/cutover/likely-cause.ts';
import type { ParityReport } from '../../core/cutover/parity-report.ts';
import { showPartition } from '../../core/cutover/partition-values.ts';
import { showUnits } from '../../core/show/numbers.ts';
import type { Sheet } from '../show/screen.ts';
import { type Cell, type Column, renderTable } from '../show/table.ts';

/** Differences shown as text; `--json` has them all. */
export const maxShownParityDifferences = 20;

export const parityColumns: readonly Column[] = [
  { title: 'pattern' },
  { title: 'index', rank: 3, least: 8 },
  { title: 'values', rank: 4, right: true },
  { title: 'records', rank: 2, right: true },
  { title: 'old units', rank: 1, right: true },
  { title: 'query units', rank: 1, right: true },
  { title: 'old ms', rank: 5, right: true },
  { title: 'query ms', rank: 5, right: true },
  { title: 'parity', rank: 0 },
];

const outcomes = { holds: 'holds', differs: 'differs', unsettled: 'not proven', 'not-readable': 'not readable' } as const;

export function parityRow({
  pattern,
  index,
  indexStatus,
  values,
  records,
  cost,
  latency,
  outcome,
}: ParityReport): readonly Cell[] {
  return [
    pattern,
    index === null ? '–' : indexStatus === 'ACTIVE' ? index : `${index} (${indexStatus})`,
    values,
    records,
    shownUnits(cost.scan),
    shownUnits(cost.query),
    latency === null ? '–' : showUnits(latency.scan),
    latency === null ? '–' : showUnits(latency.query),
    { text: outcomes[outcome], tone: outcome === 'holds' ? 'good' : 'bad' },
  ];
}

export function shownUnits(units: number): string {
  return showUnits(units);
}

const differenceColumns: readonly Column[] = [
  { title: 'kind' },
  { title: 'key', rank: 0, least: 24 },
  { title: 'asked for', rank: 2, least: 10 },
  { title: 'likely cause', rank: 1, least: 16 },
  { title: '', rank: 3, least: 12 },
];

/** What keeps a pattern from parity, record by record. */
export function describeDifferences(page: Sheet, report: ParityReport): readonly string[] {
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
          renderTable(page, differenceColumns, rows),
          ...(more > 0 ? [`… and ${more} more; --json lists them`] : []),
        ]),
    ...(unsettled.length === 0
      ? []
      : ['', `${pattern}: changing at every look: ${unsettled.slice(0, maxShownParityDifferences).join(', ')}`]),
  ];
}
