import type { PartiqlStatement } from '../../engine/core/migrate/statement.ts';
import { type AttributeValue, attributeOf, type Item } from '../../tables/model/attribute-value.ts';
import { sameValue } from '../../tables/model/canonical.ts';

/** An UPDATE as the server understands it, without its parameters: which ones go where. */
interface Shape {
  readonly table: string;
  readonly set: readonly string[];
  readonly remove: readonly string[];
  /** In their order; those that must be absent take no parameter. */
  readonly where: readonly { readonly name: string; readonly missing: boolean }[];
}

/** An UPDATE with its values. */
export interface StatementPlan {
  readonly table: string;
  readonly set: Item;
  readonly remove: readonly string[];
  readonly equal: Item;
  readonly missing: readonly string[];
}

const shapes = new Map<string, Shape>();

/** Read from its text, apart from the code that makes it. Anything else than such an UPDATE is refused as DynamoDB would. */
export function planStatement({ Statement, Parameters }: PartiqlStatement): StatementPlan {
  const shape = shapes.get(Statement) ?? shapeOf(Statement);
  shapes.set(Statement, shape);
  const compared = shape.where.filter(({ missing }) => !missing).map(({ name }) => name);
  if (Parameters.length !== shape.set.length + compared.length) throw new Error(`wrong number of parameters: ${Statement}`);
  const valueAt = (at: number): AttributeValue => Parameters[at] ?? { NULL: true };
  return {
    table: shape.table,
    set: Object.fromEntries(shape.set.map((name, at) => [name, valueAt(at)])),
    remove: shape.remove,
    equal: Object.fromEntries(compared.map((name, at) => [name, valueAt(shape.set.length + at)])),
    missing: shape.where.filter(({ missing }) => missing).map(({ name }) => name),
  };
}

function shapeOf(statement: string): Shape {
  const [, table, changes, conditions] =
    /^UPDATE "([^"]+)"((?: SET "[^"]+"=\?| REMOVE "[^"]+")+) WHERE (.+)$/.exec(statement) ?? [];
  if (table === undefined || changes === undefined || conditions === undefined) throw new Error(`not well formed: ${statement}`);
  const where = conditions.split(' AND ').map((part) => {
    const [, name, test] = /^"([^"]+)"(=\?| IS MISSING)$/.exec(part) ?? [];
    if (name === undefined) throw new Error(`not well formed: ${statement}`);
    return { name, missing: test === ' IS MISSING' };
  });
  const named = (word: string) => [...changes.matchAll(new RegExp(` ${word} "([^"]+)"`, 'g'))].flatMap(([, name]) => name ?? []);
  return { table, set: named('SET'), remove: named('REMOVE'), where };
}

export function holdsFor({ equal, missing }: StatementPlan, item: Item): boolean {
  return (
    Object.entries(equal).every(([name, value]) => sameValue(attributeOf(item, name), value)) &&
    missing.every((name) => !Object.hasOwn(item, name))
  );
}

export function changed({ set, remove }: StatementPlan, item: Item): Item {
  const kept = Object.entries(item).filter(([name]) => !remove.includes(name));
  return { ...Object.fromEntries(kept), ...set };
}
