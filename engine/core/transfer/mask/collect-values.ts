import { type AttributeValue, attributeOf } from '../../../../tables/model/attribute-value.ts';
import { type Schema, viewSchema } from '../../../../tables/model/schema-view.ts';
import type { NumberedRule, RuleTree } from './bind-rules.ts';
import { bytesText } from './bytes-text.ts';
import { maskNumber } from './mask-value.ts';
import { type FoundValue, foundText } from './needles.ts';
import type { KeyedHash } from './permute.ts';

export interface CollectContext {
  readonly hash: KeyedHash;
  /** The original text of an attribute, from itself or from the key. */
  readonly known: (name: string) => string | undefined;
  readonly count: (name: string) => void;
  readonly values: FoundValue[];
}

/** Rules of an attribute that one is for as a whole; members of it may have others. */
export type RuledTree = RuleTree & { readonly rule: NumberedRule };

/** The values that the rules at and below an attribute find in it. */
export function collectValues(value: AttributeValue, tree: RuleTree, schema: Schema | undefined, context: CollectContext): void {
  const { rule, members } = tree;
  if (rule !== undefined) {
    if (rule.as !== 'keep') context.count(`rule:${rule.at}`);
    collectLeaves(value, { rule, members }, schema, context);
    return;
  }
  const view = schema === undefined ? undefined : viewSchema(schema);
  if ('L' in value) for (const entry of value.L) collectValues(entry, tree, view?.element, context);
  if (!('M' in value)) return;
  for (const [name, below] of members) {
    const member = attributeOf(value.M, name);
    if (member !== undefined) collectValues(member, below, view?.member(name), context);
  }
}

/** Are the names of such a map data, as nobody but its records gives them? */
export function hasOwnNames(schema: Schema | undefined): boolean {
  return schema === undefined || viewSchema(schema).open;
}

/** The rules of a member of what a rule is for: its own where it has any. */
export function treeBelow({ rule, members }: RuledTree, name: string): RuledTree {
  const own = members.get(name);
  return { rule: own?.rule ?? rule, members: own?.members ?? new Map() };
}

function collectLeaves(value: AttributeValue, tree: RuledTree, schema: Schema | undefined, context: CollectContext): void {
  const { rule } = tree;
  const { hash, known, values } = context;
  const subject = rule.by === undefined ? undefined : known(rule.by);
  const text = (original: string): void => void values.push(foundText(rule.as, original, hash, subject));
  const number = (original: string): void => {
    const kind = rule.as === 'remove' ? 'text' : rule.as;
    values.push({ kind: rule.as, original, masked: maskNumber(kind, original, hash, subject) });
  };
  const view = schema === undefined ? undefined : viewSchema(schema);
  if ('L' in value) for (const entry of value.L) collectLeaves(entry, tree, view?.element, context);
  else if ('M' in value) {
    for (const [name, entry] of Object.entries(value.M)) {
      if (rule.as !== 'keep' && hasOwnNames(schema) && !tree.members.has(name)) text(name);
      const below = treeBelow(tree, name);
      const collect = below.rule === rule ? collectLeaves : collectValues;
      collect(entry, below, view?.member(name), context);
    }
  } else if (rule.as === 'keep') return;
  else if ('S' in value) text(value.S);
  else if ('N' in value) number(value.N);
  else if ('SS' in value) for (const entry of value.SS) text(entry);
  else if ('NS' in value) for (const entry of value.NS) number(entry);
  else if ('B' in value) text(bytesText(value.B));
  else if ('BS' in value) for (const entry of value.BS) text(bytesText(entry));
}
