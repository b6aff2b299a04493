import { type AttributeValue, type Item, scalarText } from '../../../../tables/model/attribute-value.ts';
import { canonicalDecimal, decimalProblem } from '../../../../tables/model/decimal.ts';
import { entityOf, recoverKeyValues } from '../../../../tables/model/item.ts';
import { keySources } from '../../../../tables/model/reference.ts';
import { keyNames, type Table } from '../../../../tables/model/table.ts';
import { holdsValue } from './find-values.ts';
import { type Needles, needlesOf } from './needles.ts';

/** What a record has to do with a person. */
export type SubjectTie =
  /** One of its identities is the ID: these attributes. */
  | { readonly kind: 'own'; readonly by: readonly string[] }
  /** The ID stands somewhere else in it: in these attributes. */
  | { readonly kind: 'mention'; readonly in: readonly string[] };

export type FindSubject = (table: Table, item: Item) => SubjectTie | undefined;

/**
 * Tells the records of a person by an ID. A record is the person's if something that its key, a reference or an index is made of is the ID; `by`
 * limits that to one attribute. The ID in another spelling or place makes it a mention.
 */
export function subjectFinder(id: string, by: string | undefined): FindSubject {
  // No mask is made here, so the hash is never looked at.
  const { texts, numbers } = needlesOf([{ kind: 'text', original: id, masked: '' }], () => new Uint8Array(32));
  // The domain of an address is many people's.
  const needles = { texts: texts.filter(({ telling }) => telling), numbers };
  return (table, item) => {
    const entity = entityOf(table, item);
    const recovered = entity === undefined ? {} : (recoverKeyValues(table, entity, item) ?? {});
    const known = (name: string) => recovered[name] ?? (Object.hasOwn(item, name) ? scalarText(item[name]) : undefined);
    const names = (entity === undefined ? keyNames(table.key) : identitiesOf(table, entity)).filter(
      (name) => by === undefined || name === by,
    );
    const own = names.filter((name) => known(name) === id);
    if (own.length > 0) return { kind: 'own', by: own };
    const found = Object.entries(item).flatMap(([name, value]) => (holds({ M: { [name]: value } }, needles) ? [name] : []));
    return found.length === 0 ? undefined : { kind: 'mention', in: found.toSorted() };
  };
}

/** Every attribute by which records can be somebody's. */
export function subjectAttributes(tables: readonly Table[]): readonly string[] {
  const names = tables.flatMap((table) => table.entities.flatMap((entity) => identitiesOf(table, entity)));
  return [...new Set(names)].toSorted();
}

/** What keys, index keys and references of an entity are made of. */
function identitiesOf(table: Table, entity: NonNullable<ReturnType<typeof entityOf>>): readonly string[] {
  const derived = entity.derive.flatMap(({ set }) =>
    Object.values(set).flatMap((template) => [...template.matchAll(/\{(\w+)/g)].map((found) => found[1] ?? '')),
  );
  const references = entity.references.flatMap(({ attribute, alike = [] }) => [attribute, ...alike]);
  return [...new Set([...keySources(table, entity), ...derived, ...references])];
}

function holds(value: AttributeValue, needles: Needles): boolean {
  if ('S' in value) return holdsValue(value.S, needles.texts);
  if ('N' in value) return decimalProblem(value.N) === undefined && needles.numbers.has(canonicalDecimal(value.N));
  if ('SS' in value) return value.SS.some((text) => holdsValue(text, needles.texts));
  if ('NS' in value) return value.NS.some((text) => holds({ N: text }, needles));
  if ('B' in value) return holdsValue(Buffer.from(value.B).toString('utf8'), needles.texts);
  if ('BS' in value) return value.BS.some((bytes) => holds({ B: bytes }, needles));
  if ('L' in value) return value.L.some((entry) => holds(entry, needles));
  if (!('M' in value)) return false;
  return Object.entries(value.M).some(([name, entry]) => holdsValue(name, needles.texts) || holds(entry, needles));
}
