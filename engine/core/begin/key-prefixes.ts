import { attributeOf, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { separator } from '../../../tables/model/template.ts';

/** A key text cut at its separators: `ORDER#7` has the word ORDER and the rest 7. */
export interface CutKey {
  readonly word: string;
  readonly mark: string;
  readonly rest: string;
}

/** Words that keys begin with: letters only, so that no number of anybody is among them. */
const tag = /^[A-Za-z][A-Za-z_-]{0,39}$/;
const marks = [separator, ':', '|', '/'];
/** A key with more different words than this begins with data. */
const maxWords = 24;

export const isTag = (text: string): boolean => tag.test(text);

/** The word that a key text begins with, before its first separator. */
export function cutKey(text: string): CutKey | undefined {
  const mark = marks.find((one) => text.includes(one));
  if (mark === undefined) return undefined;
  const at = text.indexOf(mark);
  const cut = { word: text.slice(0, at), mark, rest: text.slice(at + mark.length) };
  return isTag(cut.word) && cut.rest !== '' ? cut : undefined;
}

/** What keys look like in a table, and which attributes they may be made of. */
export interface KeyFacts {
  /** Attributes that are a key of the table or of an index. */
  readonly keys: ReadonlySet<string>;
  /** The attribute that tells the entity, if there is one. */
  readonly typeAttribute: string | undefined;
}

/** The texts of the attributes that a key may be made of, by name. */
export function sourcesOf(item: Item, { keys, typeAttribute }: KeyFacts): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(item)) {
    const text = scalarText(value);
    // A template names attributes by letters, digits and _ only.
    if (text !== undefined && text !== '' && !keys.has(name) && name !== typeAttribute && /^\w+$/.test(name))
      found.set(name, text);
  }
  return found;
}

/**
 * The words that are part of how a key is written and no data: `ORDER` of `ORDER#7`. A word that an attribute holds as well is
 * data. What is seen once only may be anybody's name, unless what follows it is an attribute, as in a key that was put together.
 */
export function keyWords(items: readonly Item[], attribute: string, facts: KeyFacts): ReadonlySet<string> {
  const seen = new Map<string, { count: number; made: number; held: boolean }>();
  for (const item of items) {
    const cut = cutKey(scalarText(attributeOf(item, attribute)) ?? '');
    if (cut === undefined) continue;
    const sources = [...sourcesOf(item, facts).values()];
    const entry = seen.get(cut.word) ?? { count: 0, made: 0, held: false };
    const type = facts.typeAttribute === undefined ? undefined : scalarText(attributeOf(item, facts.typeAttribute));
    const isMade = type === cut.word || sources.some((text) => cut.rest.split(separator).includes(text) || cut.rest === text);
    seen.set(cut.word, {
      count: entry.count + 1,
      made: entry.made + (isMade ? 1 : 0),
      held: entry.held || sources.includes(cut.word),
    });
  }
  const words = [...seen].filter(([word, { count, made, held }]) => {
    const enough = word === word.toUpperCase() ? 2 : 3;
    return !held && (made === count || count >= enough);
  });
  return new Set(words.length > maxWords ? [] : words.map(([word]) => word));
}

const typeNames = /^_*(entity|item|record|row|object|doc|model)?_?(type|typename|kind|entity|et)$/i;

/** The attribute that says what an item is, as `entity_type` does: one of a few words in nearly every item. */
export function findTypeAttribute(items: readonly Item[], keys: ReadonlySet<string>): string | undefined {
  const names = new Set(items.flatMap((item) => Object.keys(item)).filter((name) => !keys.has(name) && typeNames.test(name)));
  return [...names].toSorted().find((name) => {
    const texts = items.flatMap((item) => scalarText(attributeOf(item, name)) ?? []);
    const words = new Set(texts);
    return texts.length * 10 >= items.length * 9 && words.size <= maxWords && texts.every(isTag);
  });
}
