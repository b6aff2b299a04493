import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyNames } from '../../../tables/model/table.ts';
import { knownNames } from '../item/known-names.ts';
import { type DecideOptions, decideItem } from './decide-item.ts';
import type { PassStep } from './define-migration.ts';

/**
 * Attributes that the step's function looks at and that are not among its reads, so that it finds none of them, whatever the items have:
 * what it then gives would seem right, on every item. Only what the catalogue or an item knows is an attribute.
 */
export function undeclaredReads(step: PassStep, items: readonly Item[], options: DecideOptions): readonly string[] {
  const declared = new Set([...keyNames(step.table.key), ...step.reads]);
  const known = knownNames(step.table);
  const looked = new Set<string>();
  for (const item of items) {
    const look = (name: string | symbol): void => {
      if (typeof name !== 'string' || declared.has(name)) return;
      if (known.has(name) || Object.hasOwn(item, name)) looked.add(name);
    };
    // What it gives does not matter: who copies what it is given may fail on what is watched.
    decideItem(step, item, { ...options, shown: (seen) => watched(seen, look) });
  }
  return [...looked];
}

function watched(seen: Item, look: (name: string | symbol) => void): Item {
  return new Proxy(seen, {
    get: (target, name, receiver) => {
      look(name);
      return Reflect.get(target, name, receiver);
    },
    has: (target, name) => {
      look(name);
      return Reflect.has(target, name);
    },
  });
}
