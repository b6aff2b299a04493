import { type AttributeValue, type Item, scalarText } from '../../../../tables/model/attribute-value.ts';
import type { BoundTable, NumberedRule, RuleTree } from './bind-rules.ts';

/** What would become of one attribute of an entity, over the records that were looked at. */
export interface AttributePlan {
  readonly entity: string;
  /** `address.street`; members of lists have the list's path. */
  readonly attribute: string;
  readonly rule: NumberedRule | undefined;
  /** Records that have it. */
  readonly records: number;
  /** Records in which it would change. */
  readonly changed: number;
  /** Of what changes, masked values; of what stays, values as they are. */
  readonly examples: readonly string[];
  /** No rule is for it, and what stays of it is a text of several words: it may tell of anybody. */
  readonly freeText: boolean;
}

const mostExamples = 3;
const longestExample = 40;
const wordsOfFreeText = 3;

interface Seen {
  readonly entity: string;
  readonly attribute: string;
  records: number;
  changed: number;
  readonly freeText: { changed: boolean; left: boolean };
  readonly changedExamples: Set<string>;
  readonly leftExamples: Set<string>;
}

/** Compares records with what a mask makes of them, attribute by attribute. */
export class MaskPlan {
  readonly #bound: BoundTable;
  readonly #seen = new Map<string, Seen>();

  constructor(bound: BoundTable) {
    this.#bound = bound;
  }

  add(entity: string, before: Item, after: Item): void {
    const originals = leavesOf({ M: before });
    const left = leavesOf({ M: after });
    // Names too may be masked, so only what is left can be told by its name; what is removed has a rule that says so.
    for (const [path, values] of left) this.#count(entity, path, values, originals.get(path));
    for (const [path] of originals)
      if (!left.has(path) && this.#ruleAt(entity, path)?.as === 'remove') this.#count(entity, path, ['(removed)'], undefined);
  }

  /** Masked ones first. What a mask finds in some records only is listed twice: as masked, and with what it leaves in the others. */
  attributes(): readonly AttributePlan[] {
    const all = [...this.#seen.values()].flatMap((seen): readonly AttributePlan[] => {
      const { entity, attribute, records, changed, freeText, changedExamples, leftExamples } = seen;
      const rule = this.#ruleAt(entity, attribute);
      const own = { entity, attribute, rule };
      const left = { ...own, records: records - changed, changed: 0, examples: [...leftExamples], freeText: freeText.left };
      const isFree = freeText.changed && rule === undefined;
      const masked = { ...own, records, changed, examples: [...changedExamples], freeText: isFree };
      return [...(changed > 0 ? [masked] : []), ...(changed < records ? [left] : [])];
    });
    return all.toSorted((a, b) => Number(b.changed > 0) - Number(a.changed > 0));
  }

  #count(entity: string, attribute: string, after: readonly string[], before: readonly string[] | undefined): void {
    const name = `${entity} ${attribute}`;
    const seen = this.#seen.get(name) ?? {
      entity,
      attribute,
      records: 0,
      changed: 0,
      freeText: { changed: false, left: false },
      changedExamples: new Set(),
      leftExamples: new Set(),
    };
    this.#seen.set(name, seen);
    const isChanged = before === undefined || before.join('\0') !== after.join('\0');
    seen.records += 1;
    if (isChanged) seen.changed += 1;
    if (after.some((text) => text.trim().split(/\s+/).length >= wordsOfFreeText))
      seen.freeText[isChanged ? 'changed' : 'left'] = true;
    const examples = isChanged ? seen.changedExamples : seen.leftExamples;
    for (const text of after) if (examples.size < mostExamples) examples.add(shortened(text));
  }

  #ruleAt(entity: string, path: string): NumberedRule | undefined {
    let tree: RuleTree | undefined = this.#bound.ofEntity.get(entity)?.rules;
    let rule: NumberedRule | undefined;
    for (const name of path.split('.')) {
      tree = tree?.members.get(name);
      rule = tree?.rule ?? rule;
    }
    return rule;
  }
}

function shortened(text: string): string {
  return text.length > longestExample ? `${text.slice(0, longestExample)}…` : text;
}

/** The texts at each path of a map. */
function leavesOf(value: AttributeValue, path = '', found = new Map<string, string[]>()): Map<string, string[]> {
  if ('M' in value) {
    for (const [name, entry] of Object.entries(value.M)) leavesOf(entry, path === '' ? name : `${path}.${name}`, found);
    return found;
  }
  if ('L' in value) {
    for (const entry of value.L) leavesOf(entry, path, found);
    return found;
  }
  found.set(path, [...(found.get(path) ?? []), ...textsOf(value)]);
  return found;
}

function textsOf(value: AttributeValue): readonly string[] {
  if ('SS' in value) return value.SS;
  if ('NS' in value) return value.NS;
  if ('B' in value) return [`${value.B.byteLength} bytes: ${Buffer.from(value.B).toString('base64')}`];
  if ('BS' in value) return value.BS.map((bytes) => Buffer.from(bytes).toString('base64'));
  if ('BOOL' in value) return [String(value.BOOL)];
  return [scalarText(value) ?? 'null'];
}
