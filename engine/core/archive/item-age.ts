import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { epochSecondsOf } from '../../../tables/model/time.ts';

export type Age = 'older' | 'younger' | 'unknown';

/** Is the item's time before the moment? Texts and numbers are read as the catalogue's times are: ISO, Brazilian, epoch seconds. */
export function ageOf(item: Item, attribute: string, beforeSeconds: number): Age {
  const text = scalarText(item[attribute]);
  const seconds = text === undefined ? undefined : (epochSecondsOf(text) ?? millisecondsIn(text));
  if (seconds === undefined) return 'unknown';
  return seconds < beforeSeconds ? 'older' : 'younger';
}

/** Thirteen digits are milliseconds since 1970; as seconds they would lie thirty thousand years ahead. */
function millisecondsIn(text: string): number | undefined {
  return /^\d{13}$/.test(text) ? Number(text) / 1_000 : undefined;
}
