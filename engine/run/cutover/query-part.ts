import type { Pattern } from '../../../tables/model/pattern.ts';
import type { Table } from '../../../tables/model/table.ts';
import { type AnswerEntry, answerEntryOf } from '../../core/cutover/entry.ts';
import type { PartitionValue } from '../../core/cutover/partition-values.ts';
import { checkCall } from '../../core/read/checked-call.ts';
import { legacyOrder } from '../../core/read/plan-legacy.ts';
import { planRead } from '../../core/read/plan-read.ts';
import { type ReadEnvironment, sendPlan } from '../read/read-pattern.ts';

/** All that the query gives for a value, page by page and past the pattern's own limit. */
export async function queryPart(
  environment: ReadEnvironment,
  table: Table,
  pattern: Pattern,
  value: PartitionValue,
  signal?: AbortSignal,
): Promise<{ readonly entries: readonly AnswerEntry[]; readonly units: number }> {
  const plan = planRead(checkCall([table], pattern, value), environment.names, { unlimited: true });
  const sort = legacyOrder(table, pattern);
  const entries: AnswerEntry[] = [];
  let units = 0;
  for await (const page of sendPlan(environment, plan, { signal })) {
    for (const item of page.items) entries.push(answerEntryOf(table, sort, item, environment.digest));
    units += page.units;
  }
  return { entries, units };
}
