import type { Table } from '../../../../tables/model/table.ts';
import type { FileCodec } from '../../../core/transfer/codec.ts';
import type { SubjectSample } from '../../../core/transfer/mask/sample.ts';
import type { OpenExport } from '../open-export.ts';
import { readLines } from '../read-lines.ts';

/** A staged export of a table. */
export interface Staged {
  readonly table: Table;
  readonly opened: OpenExport;
}

/** By entity, what records of the staged exports refer to and none of them is. */
export async function missingTies(
  staged: readonly Staged[],
  sample: SubjectSample,
  codec: FileCodec,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const there = new Set<number>();
  const wanted = new Map<string, Set<number>>();
  for (const { table, opened } of staged) {
    for (const file of opened.files) {
      for await (const lines of readLines(file, codec, 0, signal)) {
        for (const { content } of lines) {
          if (content?.kind !== 'item') continue;
          const { is, refersTo } = sample.ties(table, content.item);
          for (const tie of is) there.add(tie);
          for (const { entity, tie } of refersTo) wanted.set(entity, (wanted.get(entity) ?? new Set()).add(tie));
        }
      }
    }
  }
  for (const [entity, ties] of wanted) {
    for (const tie of ties) if (there.has(tie)) ties.delete(tie);
    if (ties.size === 0) wanted.delete(entity);
  }
  return wanted;
}
