import { type Item, scalarText } from '../../../../tables/model/attribute-value.ts';
import type { Entity, Reference } from '../../../../tables/model/entity.ts';
import { entityOf, recoverKeyValues } from '../../../../tables/model/item.ts';
import { keySources } from '../../../../tables/model/reference.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { keyHash } from './key-hash.ts';
import type { KeyedHash } from './permute.ts';

export interface SampleRequest {
  /** `table/ENTITY`: the sample is a share of these. */
  readonly subjects: readonly string[];
  /** `table/ENTITY`: taken whole. */
  readonly whole: readonly string[];
  /** Above 0, up to 100. */
  readonly percent: number;
}

/** What a record is to others, as hashes of entity and values; masked records have masked ones. */
export interface Ties {
  /** What others may refer to it by. */
  readonly is: readonly number[];
  readonly refersTo: readonly { readonly entity: string; readonly tie: number }[];
}

export interface SubjectSample {
  /** Is the record in the sample by itself: a chosen subject, one of its dependants, or of an entity that is taken whole? */
  holds(table: Table, item: Item): boolean;
  ties(table: Table, item: Item): Ties;
  /** Entities that the sample takes only where something in it refers to them. */
  readonly onlyReferred: readonly string[];
  /** Entities that no record of the sample can be of. */
  readonly leftOut: readonly string[];
}

/**
 * A consistent sample, decided record by record: whether a subject is in it follows from a keyed hash of its identity, which each of its
 * dependants tells as well.
 */
export function sampleOf(catalogue: readonly Table[], request: SampleRequest, hash: KeyedHash): SubjectSample {
  const named = catalogue.flatMap((table) =>
    table.entities.map((entity) => ({ name: `${table.name}/${entity.name}`, table, entity })),
  );
  const references = named.flatMap(({ entity }) => entity.references);
  const shapes = new Map(named.map(({ name }) => [name, shapesOf(references, name)]));
  const identities = new Map(named.map(({ name, table, entity }) => [name, shapes.get(name)?.[0] ?? keySources(table, entity)]));
  const chosen = (entity: string, values: readonly (string | undefined)[]): boolean => {
    if (!values.every((value) => value !== undefined)) return false;
    const drawn = Buffer.from(hash(`sample|${entity}|${JSON.stringify(values)}`)).readUIntBE(0, 6);
    return drawn < (request.percent / 100) * 2 ** 48;
  };
  const dependants = named.filter(({ entity }) => entity.references.some((one) => request.subjects.includes(one.entity)));
  const direct = new Set([...request.subjects, ...request.whole, ...dependants.map(({ name }) => name)]);
  const reached = reachedFrom(direct, named);
  return {
    holds: (table, item) => {
      const entity = entityOf(table, item);
      if (entity === undefined) return false;
      const name = `${table.name}/${entity.name}`;
      if (request.whole.includes(name)) return true;
      const textOf = valuesOf(table, entity, item);
      if (request.subjects.includes(name) && chosen(name, (identities.get(name) ?? []).map(textOf))) return true;
      return entity.references.some(
        (reference) =>
          request.subjects.includes(reference.entity) && chosen(reference.entity, referenceValues(reference, textOf)),
      );
    },
    ties: (table, item) => tiesOf(table, item, shapes),
    onlyReferred: named.map(({ name }) => name).filter((name) => !direct.has(name) && reached.has(name)),
    leftOut: named.map(({ name }) => name).filter((name) => !reached.has(name) && !name.startsWith('tablewright-')),
  };
}

type TextOf = (name: string) => string | undefined;

/** A value from its attribute, else from the key, which older records tell it by. */
function valuesOf(table: Table, entity: Entity, item: Item): TextOf {
  let recovered: Readonly<Record<string, string>> | undefined;
  return (name) => {
    const own = Object.hasOwn(item, name) ? scalarText(item[name]) : undefined;
    if (own !== undefined) return own;
    recovered ??= recoverKeyValues(table, entity, item) ?? {};
    return recovered[name];
  };
}

function referenceValues({ attribute, alike = [] }: Reference, textOf: TextOf): readonly (string | undefined)[] {
  return [attribute, ...alike].map(textOf);
}

/** The sets of attributes by which others refer to an entity. */
function shapesOf(references: readonly Reference[], name: string): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  for (const { entity, known, target, alike = [] } of references) {
    if (entity === name || known?.by === name) found.set([target, ...alike].join(), [target, ...alike]);
  }
  return [...found.values()];
}

function tiesOf(table: Table, item: Item, shapes: ReadonlyMap<string, readonly (readonly string[])[]>): Ties {
  const entity = entityOf(table, item);
  if (entity === undefined) return { is: [], refersTo: [] };
  const name = `${table.name}/${entity.name}`;
  const textOf = valuesOf(table, entity, item);
  const tie = (target: string, names: readonly string[], values: readonly (string | undefined)[]): readonly number[] =>
    values.every((value) => value !== undefined) ? [keyHash(JSON.stringify([target, names, values]))] : [];
  return {
    is: (shapes.get(name) ?? []).flatMap((names) => tie(name, names, names.map(textOf))),
    refersTo: entity.references.flatMap((reference) => {
      const { target, alike = [] } = reference;
      const values = referenceValues(reference, textOf);
      return tie(reference.entity, [target, ...alike], values).map((one) => ({ entity: reference.entity, tie: one }));
    }),
  };
}

/** All that the records of these entities refer to, and what that refers to. */
function reachedFrom(
  direct: ReadonlySet<string>,
  named: readonly { readonly name: string; readonly entity: Entity }[],
): ReadonlySet<string> {
  const reached = new Set(direct);
  for (const name of reached) {
    for (const { entity } of named.find((one) => one.name === name)?.entity.references ?? []) reached.add(entity);
  }
  return reached;
}
