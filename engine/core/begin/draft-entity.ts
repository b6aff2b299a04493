import { attributeOf, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { canonicalValue } from '../../../tables/model/canonical.ts';
import { deriveAttributes, recoverKeyValues } from '../../../tables/model/item.ts';
import { type Index, type KeySchema, keyAttributes, keyNames, onDemand, type Table } from '../../../tables/model/table.ts';
import { placeholdersOf } from '../../../tables/model/template.ts';
import { epochSecondsOf, secondsPerHour } from '../../../tables/model/time.ts';
import { entityModel } from './draft-model.ts';
import { guessKind, surelySeen } from './guess-kind.ts';
import { guessTemplate, type TemplateGuess } from './guess-template.ts';
import type { KeyFacts } from './key-prefixes.ts';
import type { AttributeDraft, EntityDraft, RuleDraft } from './table-draft.ts';

/** What is known of the table that the items come from. */
export interface Ground {
  readonly key: KeySchema;
  readonly indexes: readonly Index[];
  readonly ttl?: string;
  readonly facts: KeyFacts;
  /** The words that each key attribute begins with. */
  readonly words: ReadonlyMap<string, ReadonlySet<string>>;
  /** The items are all that the table has. */
  readonly complete: boolean;
}

export interface EntityNames {
  readonly name: string;
  readonly variable: string;
}

/**
 * An entity of the items of one form. What it derives is tried on each of them: a rule that gives another value than is stored,
 * or one where none is stored, is given up, and the attribute is one that a writer gives.
 */
export function draftEntity(ground: Ground, items: readonly Item[], names: EntityNames): EntityDraft {
  const given = new Set<string>();
  for (;;) {
    const draft = draftOnce(ground, items, names, given);
    const wrong = contradicted(ground, items, draft).filter((name) => !given.has(name));
    if (wrong.length === 0) return draft;
    for (const name of wrong) given.add(name);
  }
}

function draftOnce(
  ground: Ground,
  items: readonly Item[],
  { name, variable }: EntityNames,
  given: ReadonlySet<string>,
): EntityDraft {
  const guesses = keyGuesses(ground, items, given);
  const constants = constantsOf(ground, items);
  const ttl = given.has(ground.ttl ?? '') ? undefined : ttlRule(ground, items);
  const derived = new Set([...guesses.keys(), ...Object.keys(constants), ...(ttl === undefined ? [] : [ground.ttl])]);
  const needed = new Set(keyNames(ground.key).flatMap((key) => placeholdersOf(guesses.get(key)?.template ?? `{${key}}`)));
  const stored = [...new Set(items.flatMap((item) => Object.keys(item)))].filter((one) => !derived.has(one) && !isInherited(one));
  const inOrder = stored.toSorted((a, b) => Number(needed.has(b)) - Number(needed.has(a)) || (a < b ? -1 : 1));
  const attributes = inOrder.map((one): [string, AttributeDraft] => [one, attributeDraft(ground, items, one, needed.has(one))]);
  const invented = [...guesses].flatMap(([key, { inKeyOnly }]) => inKeyOnly.map((one) => [one, inventedDraft(key)] as const));
  return {
    name,
    variable,
    description: `${name} records`,
    attributes: Object.fromEntries([...invented, ...attributes]),
    constants,
    derive: rulesOf(ground, guesses, items),
    ...(ttl === undefined ? {} : { ttl }),
  };
}

/** Names that every object has: a schema would find the object's own where an item has none. */
export const isInherited = (name: string): boolean => name in Object.prototype;

function keyGuesses(ground: Ground, items: readonly Item[], given: ReadonlySet<string>): ReadonlyMap<string, TemplateGuess> {
  const found = new Map<string, TemplateGuess>();
  const own = new Set(keyNames(ground.key));
  for (const { name } of keyAttributes(ground)) {
    if (given.has(name)) continue;
    const holders = items.filter((item) => Object.hasOwn(item, name));
    const words = ground.words.get(name) ?? new Set();
    const guess = guessTemplate({ attribute: name, items: holders, facts: ground.facts, words, mayInvent: own.has(name) });
    if (guess !== undefined) found.set(name, guess);
  }
  return found;
}

function constantsOf({ facts: { typeAttribute } }: Ground, items: readonly Item[]): Readonly<Record<string, string>> {
  if (typeAttribute === undefined) return {};
  const values = new Set(items.map((item) => scalarText(attributeOf(item, typeAttribute))));
  const [only] = values;
  return values.size === 1 && only !== undefined ? { [typeAttribute]: only } : {};
}

/** A record that always expires so long after one of its times. */
function ttlRule({ ttl, facts }: Ground, items: readonly Item[]): EntityDraft['ttl'] {
  if (ttl === undefined) return undefined;
  const names = Object.keys(items[0] ?? {}).filter((name) => name !== ttl && !facts.keys.has(name));
  for (const from of names.toSorted((a, b) => Number(/updat/i.test(a)) - Number(/updat/i.test(b)))) {
    const spans = new Set(items.map((item) => spanOf(item, from, ttl)));
    const [seconds] = spans;
    // One record may be so by chance; a round time by far less.
    if (spans.size === 1 && seconds !== undefined && seconds > 0 && seconds % secondsPerHour === 0) return { from, seconds };
  }
  return undefined;
}

function spanOf(item: Item, from: string, ttl: string): number | undefined {
  const start = epochSecondsOf(scalarText(attributeOf(item, from)) ?? '');
  const end = epochSecondsOf(scalarText(attributeOf(item, ttl)) ?? '');
  return start === undefined || end === undefined || start < 1e9 ? undefined : end - start;
}

function attributeDraft({ complete }: Ground, items: readonly Item[], name: string, isNeeded: boolean): AttributeDraft {
  const values = items.flatMap((item) => attributeOf(item, name) ?? []);
  const { type, nullable, hint } = guessKind({ name, values, complete });
  const always = values.length === items.length && (complete || items.length >= surelySeen);
  const count = values.length === items.length ? `in all ${items.length}` : `in ${values.length} of ${items.length}`;
  return { type, nullable, optional: !always && !isNeeded, seen: hint === undefined ? count : `${count}; ${hint}` };
}

/** It is read back from the key; items that were written before have no such attribute. */
function inventedDraft(key: string): AttributeDraft {
  return { type: { kind: 'text' }, nullable: false, optional: true, seen: `a part of ${key} that no attribute holds` };
}

/** One rule for the table's key and one for each index; keys that are made of others, and only those. */
function rulesOf(ground: Ground, guesses: ReadonlyMap<string, TemplateGuess>, items: readonly Item[]): readonly RuleDraft[] {
  const done = new Set<string>();
  return [ground.key, ...ground.indexes].flatMap((schema): RuleDraft[] => {
    const names = keyNames(schema).filter((name) => guesses.has(name) && !done.has(name));
    for (const name of names) done.add(name);
    const together = new Set(names.map((name) => items.filter((item) => Object.hasOwn(item, name)).length)).size === 1;
    const groups = together || schema === ground.key ? [names] : names.map((name) => [name]);
    return groups.filter((group) => group.length > 0).map((group) => ruleOf(group, guesses, items));
  });
}

function ruleOf(names: readonly string[], guesses: ReadonlyMap<string, TemplateGuess>, items: readonly Item[]): RuleDraft {
  const set = Object.fromEntries(names.map((name) => [name, guesses.get(name)?.template ?? '']));
  const holders = items.filter((item) => names.every((name) => Object.hasOwn(item, name))).length;
  const others = names.flatMap((name) => Object.entries(guesses.get(name)?.alternatives ?? {}));
  const doubts = others.map(([name, equal]) => `; ${name} or ${equal.join(', ')}, which have the same value`);
  return {
    set,
    seen: `holds for ${holders === items.length ? `all ${holders}` : `${holders} of ${items.length}`}${[...new Set(doubts)].join('')}`,
  };
}

/** Attributes that the draft derives otherwise than they are stored. */
function contradicted(ground: Ground, items: readonly Item[], draft: EntityDraft): readonly string[] {
  const entity = entityModel(draft);
  const table = bareTable(ground);
  const names = new Set([
    ...draft.derive.flatMap(({ set }) => Object.keys(set)),
    ...(draft.ttl === undefined ? [] : [ground.ttl ?? '']),
  ]);
  const wrong = new Set<string>();
  for (const item of items) {
    const inKey = Object.entries(recoverKeyValues(table, entity, item) ?? {}).map(([name, text]) => [name, { S: text }]);
    const { set } = deriveAttributes(table, entity, { ...Object.fromEntries(inKey), ...item });
    for (const name of names) {
      const [made, stored] = [attributeOf(set, name), attributeOf(item, name)];
      if ((made && canonicalValue(made)) !== (stored && canonicalValue(stored))) wrong.add(name);
    }
  }
  return [...wrong];
}

/** Enough of a table to derive by. */
function bareTable({ key, indexes, ttl }: Ground): Table {
  return {
    name: 'draft',
    system: 'draft',
    description: '',
    suffix: 'outside-prod',
    key,
    indexes,
    ...(ttl === undefined ? {} : { ttl }),
    billing: { development: onDemand, production: onDemand },
    entities: [],
    patterns: {},
  };
}
