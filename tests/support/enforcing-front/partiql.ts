/** What a PartiQL statement is about, as far as IAM asks. */
export interface StatementTarget {
  readonly action: 'PartiQLSelect' | 'PartiQLInsert' | 'PartiQLUpdate' | 'PartiQLDelete';
  readonly table: string;
  readonly index: string | undefined;
}

const actions = {
  SELECT: 'PartiQLSelect',
  INSERT: 'PartiQLInsert',
  UPDATE: 'PartiQLUpdate',
  DELETE: 'PartiQLDelete',
} as const;

/** `UPDATE "orders" …`, `INSERT INTO "orders" …`, `SELECT … FROM "orders"."orders_by_owner" …`, `DELETE FROM "orders" …`. */
export function statementTarget(statement: string): StatementTarget {
  const verb = /^\s*(SELECT|INSERT|UPDATE|DELETE)\b/i.exec(statement)?.[1]?.toUpperCase() as keyof typeof actions | undefined;
  const before = verb === 'UPDATE' ? 'UPDATE' : verb === 'INSERT' ? 'INTO' : 'FROM';
  const name = '(?:"([^"]+)"|([\\w-]+))';
  const found = new RegExp(`\\b${before}\\s+${name}(?:\\.${name})?`, 'i').exec(statement);
  const table = found?.[1] ?? found?.[2];
  if (verb === undefined || table === undefined)
    throw new Error(`the front cannot tell what this statement is about: ${statement}`);
  return { action: actions[verb], table, index: found?.[3] ?? found?.[4] };
}
