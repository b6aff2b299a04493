import { type Index, keyNames, type Table } from '../../../tables/model/table.ts';
import { projection } from '../../core/store/expression.ts';
import { type IndexCheck, IndexChecker } from '../../core/tables/index-check.ts';
import { type ScanContext, scanPages } from '../store/read-pages.ts';

/** Segments that are read side by side. */
const checkSegments = 4;

export interface CheckProgress {
  readonly records: number;
  readonly units: number;
}

/** Reads the keys of every record once, within the read budget, and tells what the index would do with them. */
export async function checkIndex(
  context: ScanContext,
  { table, tableName, index }: { readonly table: Table; readonly tableName: string; readonly index: Index },
  onPage: (progress: CheckProgress) => void,
  signal?: AbortSignal,
): Promise<IndexCheck & { readonly units: number }> {
  const checker = new IndexChecker(table, index);
  const names = [...new Set([...keyNames(table.key), ...keyNames(index)])];
  let units = 0;
  const read = async (Segment: number): Promise<void> => {
    const request = { TableName: tableName, Segment, TotalSegments: checkSegments, ...projection(names) };
    for await (const page of scanPages(context, request, signal)) {
      for (const item of page.items) checker.add(item);
      units += page.units;
      onPage({ records: checker.result.records, units });
    }
  };
  await Promise.all(Array.from({ length: checkSegments }, (_, segment) => read(segment)));
  return { ...checker.result, units };
}
