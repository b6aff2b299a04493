import { billingOf, physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { type IndexKey, type KeySchema, keyAttributes, type Projection, type Table } from '../../../tables/model/table.ts';
import type { IndexDescription, KeyElement, ProjectionRequest, TableDescription } from '../store/store.ts';
import { keyElements } from './create-table.ts';
import { anotherKey, droppedByHand, movedTtl, type Remedy, writtenOnce } from './remedies.ts';

/** One way in which a stack is not what the catalogue says. */
export interface TableDifference {
  /** The physical table. */
  readonly table: string;
  /** What is different: `table`, `key`, `index GSI1`, `ttl`, `billing`. */
  readonly what: string;
  readonly expected: string;
  readonly found: string;
  /** What to do where a deployment would not make it so. */
  readonly remedy?: Remedy;
}

/** What is expected of an index that the catalogue does not have. */
export const notInCatalogue = 'not in the catalogue';

/** Every difference between a table of the catalogue and what the stack has under its name. */
export function compareTable(table: Table, config: StackConfig, found: TableDescription | undefined): readonly TableDifference[] {
  const name = physicalName(table, config);
  const differs: Differs = (what, expected, actual, remedy) =>
    expected === actual ? [] : [{ table: name, what, expected, found: actual, ...(remedy === undefined ? {} : { remedy }) }];
  if (found === undefined) return differs('table', 'ACTIVE', 'missing');
  const billing = billingOf(table, config).mode === 'provisioned' ? 'PROVISIONED' : 'PAY_PER_REQUEST';
  return [
    ...differs('table', 'ACTIVE', found.status),
    ...differs('key', wantedKey(table, table.key), foundKey(found, found.key), anotherKey),
    ...compareIndexes(table, found, config.region, differs),
    ...compareTtl(table, found, config, differs),
    ...differs('billing', billing, found.billing, billing === 'PROVISIONED' ? writtenOnce(table, config) : undefined),
    ...differs('encryption', 'KMS', found.encryption ?? 'none of its own'),
  ];
}

/** Something that only has to be added: a table, an index, TTL. */
export function isMissing({ what, found }: TableDifference): boolean {
  return found === 'missing' || (what === 'ttl' && found === 'off');
}

type Differs = (what: string, expected: string, actual: string, remedy?: Remedy) => readonly TableDifference[];

function compareTtl({ ttl }: Table, found: TableDescription, config: StackConfig, differs: Differs): readonly TableDifference[] {
  const actual = ttlOf(found);
  const isMoved = ttl !== undefined && actual !== 'off';
  return differs('ttl', ttl ?? 'off', actual, isMoved ? movedTtl(found.name, actual, config) : undefined);
}

function compareIndexes(table: Table, found: TableDescription, region: string, differs: Differs): readonly TableDifference[] {
  const wanted = table.indexes.flatMap((index) => {
    const actual = found.indexes.find((candidate) => candidate.name === index.name);
    const what = `index ${index.name}`;
    if (actual === undefined) return differs(what, wantedKey(table, index), 'missing');
    return [
      ...differs(what, 'ACTIVE', actual.status),
      ...differs(`${what} key`, wantedKey(table, index), foundKey(found, actual.key)),
      ...differs(`${what} projection`, showProjection(index.projection), shownProjection(actual)),
    ];
  });
  const names = new Set(table.indexes.map((index) => index.name));
  const extra = found.indexes.filter((index) => !names.has(index.name));
  return [
    ...wanted,
    ...extra.flatMap((index) => {
      const remedy = droppedByHand(table, found.name, index.name, region);
      return differs(`index ${index.name}`, notInCatalogue, foundKey(found, index.key), remedy);
    }),
  ];
}

/** `PK (S) / SK (S)`, and `tenant (S) + region (S) / day (S)` where there are several. */
function wantedKey(table: Table, schema: KeySchema | IndexKey): string {
  const types = Object.fromEntries(keyAttributes(table).map((attribute) => [attribute.name, attribute.type]));
  return showKeySchema(keyElements(schema), types);
}

function foundKey(found: TableDescription, key: readonly KeyElement[]): string {
  return showKeySchema(key, found.attributes);
}

function showKeySchema(key: readonly KeyElement[], types: Readonly<Record<string, string>>): string {
  const shown = (kind: KeyElement['KeyType']) =>
    key.filter(({ KeyType }) => KeyType === kind).map(({ AttributeName }) => `${AttributeName} (${types[AttributeName] ?? '?'})`);
  return [shown('HASH'), shown('RANGE')]
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.join(' + '))
    .join(' / ');
}

function ttlOf({ ttl }: TableDescription): string {
  return ttl.status === 'ENABLED' || ttl.status === 'ENABLING' ? (ttl.attribute ?? '?') : 'off';
}

function showProjection(projection: Projection): string {
  return typeof projection === 'string' ? projection : `INCLUDE ${[...projection.include].toSorted().join(', ')}`;
}

function shownProjection({ projection }: IndexDescription): string {
  const { ProjectionType, NonKeyAttributes }: ProjectionRequest = projection;
  return ProjectionType === 'INCLUDE' ? `INCLUDE ${[...(NonKeyAttributes ?? [])].toSorted().join(', ')}` : ProjectionType;
}
