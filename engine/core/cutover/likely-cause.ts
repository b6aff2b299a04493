import { attributeOf, type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { sameValue } from '../../../tables/model/canonical.ts';
import { attributesOf } from '../../../tables/model/condition.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import { deriveAttributes } from '../../../tables/model/item.ts';
import { formerPattern, type Pattern } from '../../../tables/model/pattern.ts';
import { keyNames, type Table } from '../../../tables/model/table.ts';
import { placeholdersOf } from '../../../tables/model/template.ts';
import { pickEntity } from '../../../tables/model/unmarshal.ts';

export type Cause = 'not-backfilled' | 'wrong-key' | 'dead-in-index' | 'index-building' | 'index-behind';

export const causeNames: Readonly<Record<Cause, string>> = {
  'not-backfilled': 'not backfilled',
  'wrong-key': 'wrong key value',
  'dead-in-index': 'left in a sparse index',
  'index-building': 'index still building',
  'index-behind': 'index behind the table',
};

export interface LikelyCause {
  readonly cause: Cause;
  /** Names attributes and key values, no other contents. */
  readonly detail: string;
  /** Follows from the record itself, so that waiting cannot make it right. */
  readonly structural: boolean;
}

/** Why a record is answered differently, from the record as the table has it now (undefined when it is gone). */
export function likelyCause(table: Table, pattern: Pattern, item: Item | undefined): LikelyCause {
  const found = causeIn(table, pattern, item);
  const former = formerPattern(pattern);
  if (found.structural || former === undefined || item === undefined) return found;
  // The index before may be the one that has it wrong: a record that was written without its key.
  const before = causeIn(table, former, item);
  return before.structural ? { ...before, detail: `for the index before, ${former.index}: ${before.detail}` } : found;
}

function causeIn(table: Table, pattern: Pattern, item: Item | undefined): LikelyCause {
  const index = table.indexes.find((candidate) => candidate.name === pattern.index);
  const behind = (detail: string): LikelyCause => ({ cause: 'index-behind', detail, structural: false });
  if (item === undefined) return behind('the record is deleted, the index still has it');
  if (index === undefined) return behind('the record changed while it was read');
  const entity = pickEntity(table, pattern.result, item);
  if (entity === undefined) return { cause: 'wrong-key', detail: 'its key is of no entity of the pattern', structural: true };
  const { set: derived } = deriveAttributes(table, entity, item);
  const names = keyNames(index);
  const lacking = names.filter((name) => !Object.hasOwn(item, name));
  // What the writer gives stands as it is.
  const made = names.filter((name) => rulesFor(entity, name).length > 0);
  const underivable = names.filter((name) => !Object.hasOwn(derived, name));
  if (lacking.length > 0 && underivable.length === 0) {
    return { cause: 'not-backfilled', detail: `${lacking.join(', ')} missing`, structural: true };
  }
  if (lacking.length > 0) return { cause: 'not-backfilled', detail: sourceless(entity, lacking, item), structural: true };
  const conditional = conditionsOn(entity, names);
  if (made.some((name) => underivable.includes(name)) && conditional.length > 0) {
    const rule = `their rule (on ${conditional.join(', ')}) does not hold`;
    return { cause: 'dead-in-index', detail: `still has ${names.join(', ')}, though ${rule}`, structural: true };
  }
  const wrong = made.filter((name) => !sameValue(attributeOf(item, name), attributeOf(derived, name)));
  if (wrong.length > 0)
    return { cause: 'wrong-key', detail: wrong.map((name) => shown(name, derived, item)).join('; '), structural: true };
  return behind('its keys are right, the index does not show them yet');
}

const rulesFor = (entity: Entity, name: string) => entity.derive.filter((rule) => Object.hasOwn(rule.set, name));

/** The attributes that the record's place in the index depends on, by the catalogue's rules; none when it always has one. */
function conditionsOn(entity: Entity, names: readonly string[]): readonly string[] {
  const rules = names.flatMap((name) => rulesFor(entity, name));
  return [...new Set(rules.flatMap((rule) => (rule.when === undefined ? [] : attributesOf(rule.when))))];
}

function sourceless(entity: Entity, names: readonly string[], item: Item): string {
  const sources = entity.derive.flatMap((rule) => names.flatMap((name) => placeholdersOf(attributeOf(rule.set, name) ?? '')));
  const absent = [...new Set(sources)].filter((name) => !Object.hasOwn(item, name));
  return absent.length > 0
    ? `${names.join(', ')} cannot be made: ${absent.join(', ')} missing`
    : `${names.join(', ')} missing, and the catalogue's rules give it none`;
}

function shown(name: string, expected: Item, found: Item): string {
  return `${name}: expected ${scalarText(expected[name]) ?? 'nothing'}, found ${scalarText(found[name]) ?? 'another type'}`;
}
