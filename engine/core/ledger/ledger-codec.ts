import { type AttributeValue, type Item, scalarText, setAttribute } from '../../../tables/model/attribute-value.ts';
import type { InputOf, RecordOf } from '../../../tables/model/entity.ts';
import { buildItem, recoverKeyValues } from '../../../tables/model/item.ts';
import { formatAttribute, ledger, ledgerEntities } from '../../../tables/model/ledger/ledger.ts';
import type { KeyOf, LedgerEntity, RangeOf } from '../../../tables/model/ledger/ledger-entity.ts';
import { marshalObject } from '../../../tables/model/marshal.ts';
import { readableMembers, tryReadExactly } from '../../../tables/model/read-exactly.ts';
import { literalPrefix, renderPrefix, renderTemplate } from '../../../tables/model/template.ts';
import { damagedLedger, newerLedger } from './ledger-errors.ts';

/** The one way between the ledger's records and what is stored of them. */
export function ledgerItem<E extends LedgerEntity>(entity: E, record: InputOf<E>): Item {
  const item = buildItem(ledger, entity, record);
  for (const name of entity.inKey) delete item[name];
  setAttribute(item, formatAttribute, { N: String(entity.format) });
  return item;
}

/** Some members of a record, for an update of one that is there. */
export function ledgerAttributes<E extends LedgerEntity>(entity: E, members: Partial<InputOf<E>>): Item {
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  return marshalObject(entity.schema, partialSchemaOf(entity).parse(given) as Readonly<Record<string, unknown>>);
}

/** Made once for each kind: a schema is compiled when it is first used, and every renewal of a lease uses one. */
const partialSchemas = new WeakMap<LedgerEntity, ReturnType<LedgerEntity['schema']['partial']>>();

function partialSchemaOf(entity: LedgerEntity): ReturnType<LedgerEntity['schema']['partial']> {
  const known = partialSchemas.get(entity) ?? entity.schema.partial();
  partialSchemas.set(entity, known);
  return known;
}

export function ledgerKey<E extends LedgerEntity>(entity: E, values: KeyOf<E>): Item {
  return { PK: { S: rendered(entity.key.PK, values) }, SK: { S: rendered(entity.key.SK, values) } };
}

/** A partition and what the sort keys of the wanted records begin with; empty when that is all of the partition. */
export function ledgerRange<E extends LedgerEntity>(entity: E, values: RangeOf<E>): { partition: string; prefix: string } {
  return { partition: rendered(entity.key.PK, values), prefix: renderPrefix(entity.key.SK, lookUpIn(values)) };
}

function rendered(template: string, values: object): string {
  const result = renderTemplate(template, lookUpIn(values));
  if ('text' in result) return result.text;
  throw new TypeError(`a ledger key cannot be made of ${template}: ${'problem' in result ? result.problem : result.missing}`);
}

function lookUpIn(values: object): (name: string) => string | undefined {
  const known = values as Readonly<Record<string, unknown>>;
  return (name) => (known[name] === undefined ? undefined : String(known[name]));
}

/** A record as it was read: right, not of its kind's form, or of a form that this version does not know. */
export type LedgerReading<E extends LedgerEntity> =
  | { readonly kind: 'sound'; readonly record: RecordOf<E> }
  | { readonly kind: 'damaged'; readonly problems: readonly string[] }
  | { readonly kind: 'newer'; readonly format: number };

export function inspectRecord<E extends LedgerEntity>(entity: E, item: Item): LedgerReading<E> {
  const format = formatOf(item);
  if (format === undefined) return { kind: 'damaged', problems: [`${formatAttribute}: expected a whole number from 1 on`] };
  if (format > entity.format) return { kind: 'newer', format };
  const known = recoverKeyValues(ledger, entity, item);
  if (known === undefined) return { kind: 'damaged', problems: [`its key is not that of a ${entity.name} record`] };
  const read = tryReadExactly(entity, item, known);
  return 'record' in read ? { kind: 'sound', record: read.record } : { kind: 'damaged', problems: read.problems };
}

/** Undefined when what stands there is no version. Records of the time before versions are of the first. */
function formatOf(item: Item): number | undefined {
  const value = item[formatAttribute];
  if (value === undefined) return 1;
  const format = 'N' in value ? Number(value.N) : 0;
  return Number.isSafeInteger(format) && format >= 1 ? format : undefined;
}

/** The record, or a LEDGER_DAMAGED or LEDGER_NEWER error that names its key. */
export function readLedgerRecord<E extends LedgerEntity>(entity: E, item: Item): RecordOf<E> {
  const [record] = readLedgerRecords(entity, [item]);
  return record as RecordOf<E>;
}

/** As `readRecord`, for several; all that are damaged are named together. */
export function readLedgerRecords<E extends LedgerEntity>(entity: E, items: readonly Item[]): readonly RecordOf<E>[] {
  const records: RecordOf<E>[] = [];
  const damaged: { readonly item: Item; readonly problems: readonly string[] }[] = [];
  for (const item of items) {
    const reading = inspectRecord(entity, item);
    if (reading.kind === 'newer') throw newerLedger(item, reading.format, entity.format);
    if (reading.kind === 'sound') records.push(reading.record);
    else damaged.push({ item, problems: reading.problems });
  }
  if (damaged.length > 0) throw damagedLedger(damaged);
  return records;
}

/** What is right in a damaged record, its key included. */
export function salvage<E extends LedgerEntity>(entity: E, item: Item): Partial<RecordOf<E>> {
  return readableMembers(entity, item, recoverKeyValues(ledger, entity, item) ?? {});
}

export function hasKeyOf(entity: LedgerEntity, item: Item): boolean {
  return recoverKeyValues(ledger, entity, item) !== undefined;
}

/** Which kind of record a key is of, or was meant to be, by its beginning; undefined when this version knows none. */
export function ledgerEntityOf(item: Item): LedgerEntity | undefined {
  return (
    ledgerEntities.find((entity) => hasKeyOf(entity, item)) ??
    ledgerEntities.find(({ key }) => beginsAs(item.PK, key.PK) && beginsAs(item.SK, key.SK))
  );
}

function beginsAs(value: AttributeValue | undefined, template: string): boolean {
  return (scalarText(value) ?? '').startsWith(literalPrefix(template));
}
