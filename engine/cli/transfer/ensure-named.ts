import { TablewrightError } from '../../../tables/model/error.ts';
import type { Table } from '../../../tables/model/table.ts';
import { schemaFile, tableOfSchema } from '../../../tables/model/transfer/table-schema.ts';
import { schemaStore } from '../../aws/transfer/schema-store.ts';
import { makeTable } from '../../run/transfer/make-table.ts';
import type { OpenExport } from '../../run/transfer/open-export.ts';
import { readSchema } from '../../run/transfer/read-schema.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';

/** A table without an entry in the catalogue: as it is, or made as the exported one was. */
export async function ensureNamed(context: Context, stack: OpenStack, tableName: string, opened: OpenExport): Promise<Table> {
  const { signal, output } = context;
  const schemas = schemaStore(stack.client);
  const present = await schemas.describe(tableName, signal);
  const wanted = await readSchema(opened, signal);
  const schema = present ?? wanted;
  if (schema === undefined) {
    throw new TablewrightError(
      'UNKNOWN_NAME',
      `${tableName}: there is no such table, and the export has no ${schemaFile} to make it by`,
      { next: 'Make the table first, or export it again with this version.' },
    );
  }
  const lacks = await stack.lacks(signal);
  const environment = { store: stack.store, schemas, sleep, ...(lacks === undefined ? {} : { lacks }) };
  const made = await makeTable(environment, tableName, schema, signal);
  if (made) output.note({ event: 'table-made', table: tableName }, `Made ${tableName} as ${schema.TableName} was.`);
  return tableOfSchema(schema);
}
