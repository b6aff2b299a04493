import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { nearest } from '../../core/show/nearest.js';
import { plural } from '../../core/show/numbers.ts';
import { subjectAttributes, subjectFinder } from '../../core/transfer/mask/subject-records.ts';
import { findSubject, type SubjectRecord } from '../../run/transfer/subject/find-subject.ts';
import { budgetedRead } from '../budget-of.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import { showProgress } from '../show/progress.ts';
import { harmless } from '../show/text-width.ts';

/** All that has to do with a person, in every table of the stack. */
export async function subjectRecordsOf(
  context: Context,
  stack: OpenStack,
  id: string,
  by: string | undefined,
  rate: number | undefined,
): Promise<readonly SubjectRecord[]> {
  const tables = stack.tables
    .filter(({ system }) => system !== 'tablewright')
    .map((table) => ({ table, tableName: physicalName(table, stack.config) }));
  if (by !== undefined)
    refuseUnknown(
      tables.map(({ table }) => table),
      by,
    );
  const progress = showProgress(context.output);
  const found: SubjectRecord[] = [];
  try {
    const onRead = (table: string, done: number): void => progress.update({ label: `read ${table}`, done });
    for await (const record of findSubject(budgetedRead(stack, rate), tables, subjectFinder(id, by), onRead, context.signal)) {
      found.push(record);
    }
  } finally {
    progress.stop();
  }
  return found;
}

/** By an attribute that nothing is identified by, nobody would ever be found. */
function refuseUnknown(tables: readonly Table[], by: string): void {
  const known = subjectAttributes(tables);
  if (known.includes(by)) return;
  const meant = nearest(by, known);
  const guess = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new TablewrightError('UNKNOWN_NAME', `--by ${by}: no key, index or reference is made of it${guess}`, {
    next: `Nothing was read. Use one of ${known.join(', ')}, or leave --by out.`,
  });
}

/** The record for a program that reads the output. */
export function subjectEvent({ table, entity, key, tie }: SubjectRecord) {
  return { event: 'subject-record', table: table.name, entity: entity ?? null, key: showKey(table, key), ...tie };
}

/** A line for each record: which, and why it is listed. */
export function showSubjectRecord({ table, entity, key, tie }: SubjectRecord): string {
  const why = tie.kind === 'own' ? `by ${tie.by.join(', ')}` : `mentioned in ${tie.in.join(', ')}`;
  return `  ${table.name}/${entity ?? '(no entity)'}  ${harmless(showKey(table, key))}  ${harmless(why)}`;
}

export function showSubjectSums(records: readonly SubjectRecord[]): string {
  const own = records.filter(({ tie }) => tie.kind === 'own');
  const tables = new Set(own.map(({ table }) => table.name));
  const mentions = records.length - own.length;
  const sums = `${plural(own.length, 'record')} in ${plural(tables.size, 'table')}, ${plural(mentions, 'mention')} in other records.`;
  if (own.length > 0 || mentions === 0) return sums;
  return `${sums}\n→ A record is somebody's only by the ID as it stands there: give it in that spelling, or another --by.`;
}
