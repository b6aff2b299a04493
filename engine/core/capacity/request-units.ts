/** A part of a request that one table's budget has to allow. */
export interface RequestShare {
  readonly table: string;
  readonly kind: 'read' | 'write';
  /** Expected; the gate learns from the answers what such requests really cost. */
  readonly units: number;
}

/** A DynamoDB request with plain values, as the document client takes it. */
export interface PlainRequest {
  /** The operation's name in the DynamoDB API: `GetItem`, `BatchWriteItem`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Scan and Query API reference: a page ends at 1 MB, which is 128 units (eventually consistent). */
const fullPageUnits = 128;
/** A guess: items of 1 KB, at half a unit per 4 KB. */
const itemsPerUnit = 8;
/** Developer Guide, "Write capacity units": one unit writes up to 1 KB. */
const bytesPerUnit = 1_024;
/** Developer Guide, "Transactions": two underlying writes (or reads) of every item. */
const transactionFactor = 2;

const pageReads: ReadonlySet<string> = new Set(['Query', 'Scan']);
const itemWrites: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/** What a request is expected to take of which tables. Empty for requests that consume no capacity. */
export function requestShares({ operation, input }: PlainRequest): readonly RequestShare[] {
  const table = String(input.TableName ?? '');
  const factor = input.ConsistentRead === true ? 2 : 1;
  if (operation === 'GetItem') return [{ table, kind: 'read', units: factor / 2 }];
  if (pageReads.has(operation)) return [{ table, kind: 'read', units: factor * pageUnits(input.Limit) }];
  if (itemWrites.has(operation)) return [{ table, kind: 'write', units: writeUnitsOf(input.Item) }];
  if (operation === 'BatchGetItem') return batchShares(input.RequestItems, 'read', (keys) => keysOf(keys).length / 2);
  if (operation === 'BatchWriteItem') return batchShares(input.RequestItems, 'write', batchWriteUnits);
  if (operation === 'TransactWriteItems')
    return merged(listOf(input.TransactItems).flatMap((entry) => entryShares(entry, 'write')));
  if (operation === 'TransactGetItems') return merged(listOf(input.TransactItems).flatMap((entry) => entryShares(entry, 'read')));
  if (operation === 'ExecuteStatement') return statementShares(input.Statement, 1);
  if (operation === 'BatchExecuteStatement') return merged(statementsOf(input.Statements, 1));
  if (operation === 'ExecuteTransaction') return merged(statementsOf(input.TransactStatements, transactionFactor));
  return [];
}

function pageUnits(limit: unknown): number {
  return typeof limit === 'number' ? Math.max(0.5, Math.min(fullPageUnits, limit / itemsPerUnit)) : fullPageUnits;
}

function writeUnitsOf(item: unknown): number {
  return Math.max(1, Math.ceil(roughBytes(item) / bytesPerUnit));
}

/** About as many as DynamoDB counts; binary and exact numbers come out a little larger. */
function roughBytes(value: unknown): number {
  if (value === undefined || value === null) return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object') return Buffer.byteLength(String(value));
  if (value instanceof Set || Array.isArray(value)) return [...value].reduce<number>((sum, entry) => sum + roughBytes(entry), 3);
  return Object.entries(value).reduce((sum, [name, entry]) => sum + Buffer.byteLength(name) + roughBytes(entry), 3);
}

function batchShares(requests: unknown, kind: 'read' | 'write', unitsOf: (request: unknown) => number): readonly RequestShare[] {
  return Object.entries(recordOf(requests)).map(([table, request]) => ({ table, kind, units: unitsOf(request) }));
}

function batchWriteUnits(requests: unknown): number {
  return listOf(requests).reduce<number>((sum, request) => sum + writeUnitsOf(recordOf(recordOf(request).PutRequest).Item), 0);
}

function entryShares(entry: unknown, kind: 'read' | 'write'): readonly RequestShare[] {
  return Object.values(recordOf(entry)).map((action) => {
    const { TableName, Item } = recordOf(action);
    const units = transactionFactor * (kind === 'write' ? writeUnitsOf(Item) : 1);
    return { table: String(TableName ?? ''), kind, units };
  });
}

function statementsOf(statements: unknown, factor: number): readonly RequestShare[] {
  return listOf(statements).flatMap((entry) => statementShares(recordOf(entry).Statement, factor));
}

/** PartiQL: `SELECT … FROM "table"."index"`, `UPDATE "table"`, `DELETE FROM "table"`, `INSERT INTO "table"`. */
const statementTable = /\b(?:from|update|into)\s+(?:"([^"]+)"|([\w-]+))/i;

function statementShares(statement: unknown, factor: number): readonly RequestShare[] {
  const text = String(statement ?? '');
  const [, quoted, bare] = statementTable.exec(text) ?? [];
  const table = quoted ?? bare;
  if (table === undefined) return [];
  const reads = /^\s*(select|exists)\b/i.test(text);
  return [{ table, kind: reads ? 'read' : 'write', units: factor }];
}

function merged(shares: readonly RequestShare[]): readonly RequestShare[] {
  const sums = new Map<string, RequestShare>();
  for (const share of shares) {
    const known = sums.get(`${share.kind} ${share.table}`);
    sums.set(`${share.kind} ${share.table}`, { ...share, units: share.units + (known?.units ?? 0) });
  }
  return [...sums.values()];
}

function keysOf(request: unknown): readonly unknown[] {
  return listOf(recordOf(request).Keys);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
