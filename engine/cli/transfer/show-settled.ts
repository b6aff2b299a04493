import type { SettledTable } from '../../run/transfer/native/settle-table.ts';
import type { Sheet } from '../show/screen.ts';
import { renderTable } from '../show/table.ts';

/** What was put back, and what the comparison with the catalogue found. */
export function describeSettled(page: Sheet, tableName: string, { putBack, differences }: SettledTable): readonly string[] {
  const head = putBack.length === 0 ? 'Nothing had to be put back.' : `Put back: ${putBack.join('; ')}.`;
  if (differences.length === 0) return [head, `${tableName} is as the catalogue says.`];
  const rows = differences.map(({ what, expected, found }) => [what, expected, found]);
  return [
    head,
    `${tableName} is not as the catalogue says:`,
    renderTable(
      page,
      [
        { title: 'what', least: 16 },
        { title: 'expected', rank: 0, least: 14 },
        { title: 'found', rank: 0, least: 14 },
      ],
      rows,
    ),
  ];
}
