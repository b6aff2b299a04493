import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { TableSchema } from '../../../tables/model/transfer/table-schema.ts';
import { schemaStore } from '../../aws/transfer/schema-store.ts';
import type { Context } from '../context.ts';
import type { OpenStack } from '../open-stack.ts';

/** What a table is, for its export to keep. */
export async function describeOrRefuse(context: Context, stack: OpenStack, tableName: string): Promise<TableSchema> {
  const schema = await schemaStore(stack.client).describe(tableName, context.signal);
  if (schema !== undefined) return schema;
  if (stack.tables.some((one) => physicalName(one, stack.config) === tableName)) {
    throw new TablewrightError('TABLE_MISSING', `${tableName}: the table does not exist in this stack`);
  }
  throw new TablewrightError('UNKNOWN_NAME', `${tableName}: there is no such table`, { next: 'Check its name and the stack.' });
}
