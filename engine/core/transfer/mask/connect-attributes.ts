import type { Table } from '../../../../tables/model/table.ts';

/** One attribute of an entity: `oms_trading_data/ORDER.client_id`. */
export const attributeNode = (table: string, entity: string, attribute: string): string => `${table}/${entity}.${attribute}`;

/** For each attribute, the one that stands for all that are the same by the catalogue. */
export type Connected = (node: string) => string;

/**
 * Attributes that hold the same values by the catalogue: the two ends of a reference with what must be alike, and what a record
 * shares with its companions.
 */
export function connectAttributes(catalogue: readonly Table[]): Connected {
  const parents = new Map<string, string>();
  const root = (node: string): string => {
    const parent = parents.get(node);
    return parent === undefined ? node : root(parent);
  };
  const join = (a: string, b: string): void => {
    const [left, right] = [root(a), root(b)];
    if (left !== right) parents.set(left, right);
  };
  for (const table of catalogue) {
    for (const entity of table.entities) {
      const own = (name: string): string => attributeNode(table.name, entity.name, name);
      for (const { attribute, entity: target, target: other, alike = [], known } of entity.references) {
        join(own(attribute), `${target}.${other}`);
        if (known !== undefined) join(own(attribute), `${known.by}.${other}`);
        for (const name of alike) join(own(name), `${target}.${name}`);
      }
      for (const { entity: companion } of entity.companions) {
        for (const name of Object.keys(companion.schema.shape)) {
          if (Object.hasOwn(entity.schema.shape, name)) join(own(name), attributeNode(table.name, companion.name, name));
        }
      }
    }
  }
  return root;
}
