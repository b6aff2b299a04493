import { attributeOf, type Item, scalarText, setAttribute } from '../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../tables/model/canonical.ts';
import type { Entity, InputOf, Keeper, RecordOf } from '../../../tables/model/entity.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { deriveAttributes, describeIssue } from '../../../tables/model/item.ts';
import { marshalObject } from '../../../tables/model/marshal.ts';
import { storeMember } from '../../../tables/model/member.ts';
import type { NewValues } from '../../../tables/model/record-writes.ts';
import { keyFrom, keySources } from '../../../tables/model/reference.ts';
import type { Table } from '../../../tables/model/table.ts';

/** Values that a record gets; `undefined` takes an optional attribute away. */
export type ChangesOf<E extends Entity> = { readonly [Name in keyof InputOf<E>]?: InputOf<E>[Name] | undefined };

/** What names a record: those of its attributes that its key is made of, or more. */
export type KeyedOf<E extends Entity> = { readonly [Name in keyof RecordOf<E>]?: RecordOf<E>[Name] | undefined };

/** One thing to do with one record. */
export interface RecordCall {
  readonly kind: 'put' | 'update' | 'remove';
  readonly table: Table;
  readonly entity: Entity;
  /** A whole record; for an update by a function, whatever names it. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** `oms_config/PRODUCT`, as messages name it. */
export const nameOf = ({ table, entity }: Pick<RecordCall, 'table' | 'entity'>): string => `${table.name}/${entity.name}`;

/** The key of the record that is meant; every part that is missing or wrong is named. */
export function keyOfRecord({ table, entity, record }: Omit<RecordCall, 'kind'>): Item {
  const sources = keySources(table, entity);
  const problems: string[] = [];
  const values: Record<string, string | Uint8Array> = {};
  for (const name of sources) {
    const stored = storeMember(entity, name, record[name], 'stored');
    if (record[name] === undefined) problems.push(`${name}: missing`);
    else if (stored !== undefined && 'problems' in stored) problems.push(...stored.problems);
    else values[name] = stored?.value !== undefined && 'B' in stored.value ? stored.value.B : (scalarText(stored?.value) ?? '');
  }
  const key = problems.length === 0 ? keyFrom(table, entity, values) : undefined;
  if (key !== undefined) return key;
  throw new TablewrightError('BAD_PARAMETER', `${nameOf({ table, entity })}: this names no record`, {
    problems,
    next: `It takes ${sources.join(', ')}.`,
  });
}

/**
 * The item of a record as a reader got it: its attributes, and what follows from them. Goes by the record alone, so that the
 * same call gives the same transaction, which its token then stands for.
 */
export function itemOfRecord({ table, entity, record }: Omit<RecordCall, 'kind'>): Item {
  const parsed = entity.stored.safeParse(record);
  if (!parsed.success) {
    throw new TablewrightError('BAD_PARAMETER', `${nameOf({ table, entity })}: expected a whole record, as a reader gives it`, {
      problems: parsed.error.issues.map(describeIssue),
      next: 'Give the record that was read, or a function from the record as it is to its changes.',
    });
  }
  const own = marshalObject(entity.stored, parsed.data as Readonly<Record<string, unknown>>);
  for (const [name, value] of Object.entries(entity.constants)) setAttribute(own, name, { S: value });
  const { ttl: _, ...timeless } = entity;
  return { ...own, ...deriveAttributes(table, timeless, own).set };
}

export type CheckedChanges = NewValues | { readonly problems: readonly string[] };

/** The stored form of changes, each by the rules for writers; all problems at once. */
export function checkChanges(
  table: Table,
  entity: Entity,
  item: Item,
  changes: Readonly<Record<string, unknown>>,
): CheckedChanges {
  const set: Item = {};
  const gone: string[] = [];
  const problems: string[] = [];
  const keys = keySources(table, entity);
  for (const [name, value] of Object.entries(changes)) {
    const stored = storeMember(entity, name, value);
    if (stored === undefined) {
      problems.push(`${name}: unknown attribute; ${entity.name} takes ${Object.keys(entity.schema.shape).join(', ')}`);
    } else if ('problems' in stored) problems.push(...stored.problems);
    else if (stored.value === undefined) gone.push(name);
    else setAttribute(set, name, stored.value);
  }
  const moved = keys.filter((name) => changesKey(item, set, gone, name));
  problems.push(...moved.map((name) => `${name}: a part of the key cannot be changed; remove the record and put another`));
  return problems.length > 0 ? { problems } : { set, gone };
}

function changesKey(item: Item, set: Item, gone: readonly string[], name: string): boolean {
  const value = attributeOf(set, name);
  // Where an older record has it in its key alone, the key itself says whether it is the same.
  const before = attributeOf(item, name);
  return gone.includes(name) || (value !== undefined && before !== undefined && !sameValue(value, before));
}

/** Records that something else keeps are not written by themselves, and records that come together come one and one. */
export function keeperProblems(calls: readonly RecordCall[]): readonly string[] {
  return calls.flatMap((call) => {
    const { keeper } = call.entity;
    if (keeper === undefined) return call.kind === 'update' ? [] : companyProblems(call, calls);
    const company = ofSameKind(call, calls, keeper.comesWith?.entity).filter((other) => isAlike(call, other, keeper.comesWith));
    if (company.length > 0) return [];
    const with_ = keeper.comesWith === undefined ? '' : `, or together with its ${keeper.comesWith.entity}`;
    return [`${nameOf(call)} is written by ${keeper.by.join(', ')}${with_}`];
  });
}

/** An order without a status could never get one, and one with two would stand in two queues. */
function companyProblems(call: RecordCall, calls: readonly RecordCall[]): readonly string[] {
  const { table, entity } = call;
  return table.entities
    .filter(({ keeper }) => keeper?.comesWith?.entity === entity.name)
    .flatMap(({ name, keeper }) => {
      const count = ofSameKind(call, calls, name).filter((other) => isAlike(other, call, keeper?.comesWith)).length;
      const found = `expected one in the transaction, found ${count === 0 ? 'none' : count}`;
      return count === 1 ? [] : [`${nameOf(call)} comes and goes together with its ${name}: ${found}`];
    });
}

/** What is done to records of an entity in the same transaction; nothing comes along with an update. */
function ofSameKind(call: RecordCall, calls: readonly RecordCall[], entity: string | undefined): readonly RecordCall[] {
  if (call.kind === 'update') return [];
  return calls.filter(({ kind, table, entity: { name } }) => kind === call.kind && table === call.table && name === entity);
}

function isAlike(one: RecordCall, other: RecordCall, comesWith: Keeper['comesWith']): boolean {
  return comesWith?.alike.every((name) => String(one.record[name]) === String(other.record[name])) === true;
}
