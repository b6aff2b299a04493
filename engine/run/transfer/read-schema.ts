import { parseSchema, schemaFile, type TableSchema } from '../../../tables/model/transfer/table-schema.ts';
import { readText } from '../../core/transfer/blob-store.ts';
import { badExport, type OpenExport } from './open-export.ts';

/** What the exported table was; undefined for an export that does not say. */
export async function readSchema({ folder, place }: OpenExport, signal?: AbortSignal): Promise<TableSchema | undefined> {
  const text = await readText(folder, schemaFile, signal);
  if (text === undefined) return undefined;
  const schema = parseSchema(text);
  if (!('problems' in schema)) return schema;
  throw badExport(
    place,
    schema.problems.map((problem) => `${schemaFile}: ${problem}`),
  );
}
