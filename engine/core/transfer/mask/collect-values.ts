import { type AttributeValue, attributeOf } from '../../../../tables/model/attribute-value.ts';
import type { NumberedRule, RuleTree } from './bind-rules.ts';
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

/** The values that the rules at and below an attribute find in it. */
export function collectValues(value: AttributeValue, tree: RuleTree, context: CollectContext): void {
  if (tree.rule !== undefined) {
    if (tree.rule.as === 'keep') return;
    context.count(`rule:${tree.rule.at}`);
    collectLeaves(value, tree.rule, context);
    return;
  }
  if ('L' in value) for (const entry of value.L) collectValues(entry, tree, context);
  if (!('M' in value)) return;
  for (const [name, below] of tree.members) {
    const member = attributeOf(value.M, name);
    if (member !== undefined) collectValues(member, below, context);
  }
}

function collectLeaves(value: AttributeValue, rule: NumberedRule, context: CollectContext): void {
  const { hash, known, values } = context;
  // A moved date says nothing that is looked for elsewhere: every other date would change.
  if (rule.as === 'date') return;
  const subject = rule.by === undefined ? undefined : known(rule.by);
  const text = (original: string): void => void values.push(foundText(rule.as, original, hash, subject));
  const number = (original: string): void => {
    const kind = rule.as === 'remove' ? 'text' : rule.as;
    values.push({ kind: rule.as, original, masked: maskNumber(kind, original, hash, subject) });
  };
  if ('S' in value) text(value.S);
  else if ('N' in value) number(value.N);
  else if ('SS' in value) for (const entry of value.SS) text(entry);
  else if ('NS' in value) for (const entry of value.NS) number(entry);
  else if ('B' in value) text(Buffer.from(value.B).toString('utf8'));
  else if ('BS' in value) for (const entry of value.BS) text(Buffer.from(entry).toString('utf8'));
  else if ('L' in value) for (const entry of value.L) collectLeaves(entry, rule, context);
  else if ('M' in value) for (const entry of Object.values(value.M)) collectLeaves(entry, rule, context);
}
