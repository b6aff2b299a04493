import { TablewrightError } from '../../../tables/model/error.ts';
import { type Index, listKeyNames, showKeyNames, type Table } from '../../../tables/model/table.ts';
import { nameAdvice } from '../../core/show/name-advice.ts';
import { showNumber, showUnits } from '../../core/show/numbers.ts';
import type { IndexCheck, KeyViolation } from '../../core/tables/index-check.ts';
import { checkIndex as readIndex } from '../../run/tables/check-index.ts';
import { budgetedRead, rateOf } from '../budget-of.ts';
import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { showProgress } from '../show/progress.ts';
import type { Sheet } from '../show/screen.ts';
import { renderTable } from '../show/table.ts';
import { findTable } from '../transfer/find-table.ts';
import { itemsOnce, tableTotal } from '../transfer/show-export.ts';
import type spec from './check-index.spec.js';

const checkIndex: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    const { table, tableName } = findTable(stack, given.table);
    const index = indexNamed(table, given.index);
    const progress = showProgress(context.output);
    const budget = rateOf(stack, 'read', given.readRate);
    const label = `check ${tableName}.${index.name}`;
    const items = await itemsOnce(stack, tableName, context.signal);
    try {
      const read = budgetedRead(stack, given.readRate);
      const found = await readIndex(
        read,
        { table, tableName, index },
        ({ records }) => progress.update({ label, done: records, ...tableTotal(records, items), counted: 'records' }),
        context.signal,
      );
      progress.clear();
      const value = { stack: stack.name, table: tableName, index: index.name, ...listKeyNames(index), ...found };
      context.output.result(value, (page) => describe(page, tableName, index, found, budget));
      return found.refused === 0 ? 0 : 1;
    } finally {
      progress.clear();
    }
  });

function indexNamed(table: Table, name: string): Index {
  const index = table.indexes.find((candidate) => candidate.name === name);
  if (index !== undefined) return index;
  const known = table.indexes.map((candidate) => candidate.name);
  throw new TablewrightError('UNKNOWN_NAME', `${table.name} has no index ${name}`, {
    next: known.length === 0 ? 'It has none; add it to the catalogue first.' : nameAdvice(name, known),
  });
}

function describe(
  page: Sheet,
  tableName: string,
  index: Index,
  found: IndexCheck & { readonly units: number },
  budget: number,
): string {
  const { records, held, lacking, refused, violations } = found;
  const out = Object.entries(lacking).map(([name, count]) => `  ${showNumber(count)} lack ${name}`);
  const within = Number.isFinite(budget) ? ` within ${showNumber(budget)} a second` : '';
  return [
    `${tableName}, index ${index.name} on ${showKeyNames(listKeyNames(index))}: ${showNumber(records)} records read for ${showUnits(found.units)} read units${within}.`,
    `In the index: ${showNumber(held)}. Left out: ${showNumber(records - held - refused)}. Refused: ${showNumber(refused)}.`,
    ...out,
    ...(refused === 0 ? [] : ['', violationTable(page, violations), '', unwritable(refused)]),
  ].join('\n');
}

function violationTable(page: Sheet, violations: readonly KeyViolation[]): string {
  const rows = violations.map(({ attributes, fault, found, records, examples }) => [
    attributes.join(', '),
    fault,
    found,
    showNumber(records),
    examples.join('; '),
  ]);
  return renderTable(
    page,
    [
      'attribute',
      { title: 'fault', rank: 1, least: 16 },
      { title: 'found', rank: 2, least: 8 },
      { title: 'records', rank: 1, right: true },
      { title: 'such as', rank: 3, least: 16 },
    ],
    rows,
  );
}

const unwritable = (refused: number): string =>
  `DynamoDB takes such an index, leaves ${refused === 1 ? 'this record' : 'these records'} out, and from then on refuses every write of them, also of other attributes. Repair them by a migration before the index is deployed.`;

export default checkIndex;
