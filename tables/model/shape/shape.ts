import { type IndexKey, type KeySchema, keyParts, type Projection, type Table } from '../table.ts';

/** What of a table cannot change in place. */
export interface TableShape {
  readonly suffix: Table['suffix'];
  readonly key: string;
  readonly indexes: readonly IndexShape[];
  readonly ttl: string | null;
  /** In the released shape: the attribute of a TTL that was switched off; DynamoDB wants to know which. */
  readonly formerTtl?: string;
}

export interface IndexShape {
  readonly name: string;
  readonly key: string;
  readonly projection: string;
}

/** Tables by their name in the catalogue. */
export type CatalogueShape = Readonly<Record<string, TableShape>>;

/** The catalogue's shape, in words that are stable in a file and readable in a message. */
export function shapeOf(catalogue: readonly Table[]): CatalogueShape {
  return Object.fromEntries(
    catalogue.map((table) => [
      table.name,
      {
        suffix: table.suffix,
        key: keyText(table.key),
        indexes: table.indexes.map((index) => ({
          name: index.name,
          key: keyText(index),
          projection: projectionText(index.projection),
        })),
        ttl: table.ttl ?? null,
      },
    ]),
  );
}

function keyText(schema: KeySchema | IndexKey): string {
  const { hash, range } = keyParts(schema);
  const texts = [hash, range].filter((parts) => parts.length > 0);
  return texts.map((parts) => parts.map(({ name, type }) => `${name} (${type})`).join(' + ')).join(' / ');
}

function projectionText(projection: Projection): string {
  return typeof projection === 'string' ? projection : `INCLUDE ${projection.include.join(', ')}`;
}
