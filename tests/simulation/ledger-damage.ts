import type { Random } from '../../engine/core/seed/random.ts';
import { type AttributeValue, type Item, scalarText } from '../../tables/model/attribute-value.ts';

/** A record as somebody has left it: undefined when it is gone. */
export interface Damage {
  readonly before: Item;
  readonly after: Item | undefined;
  readonly what: string;
}

/** One record of the ledger is taken away, or one of its attributes is lost or becomes something else. */
export function drawDamage(random: Random, records: readonly Item[]): Damage | undefined {
  if (records.length === 0) return undefined;
  const before = random.pick(records);
  const name = `${scalarText(before.PK)} ${scalarText(before.SK)}`;
  if (random.chance(400)) return { before, after: undefined, what: `${name} is gone` };
  const attributes = Object.keys(before).filter(
    (attribute) => attribute !== 'PK' && attribute !== 'SK' && attribute !== 'format',
  );
  if (attributes.length === 0) return undefined;
  const attribute = random.pick(attributes);
  const { [attribute]: value, ...rest } = before;
  if (value === undefined || random.chance(500)) return { before, after: rest, what: `${name} has lost ${attribute}` };
  return { before, after: { ...rest, [attribute]: other(value) }, what: `${name} has something else for ${attribute}` };
}

/** Of another type, or nonsense. */
function other(value: AttributeValue): AttributeValue {
  if ('B' in value) return { B: new Uint8Array([1, 2, 3, 4]) };
  return 'S' in value ? { N: '5' } : { S: 'nonsense' };
}
