import type { AttributeValue } from '../../tables/model/attribute-value.ts';

/*
 * What a record says to somebody who takes the trouble: every text in it, and what those say once everything that writes texts inside of
 * texts is taken off. Knows nothing of how masks look for values.
 */

/** Every text, number, name and text in bytes; of numbers those that are wanted. */
export function textsOf(value: AttributeValue, isWanted: (number: string) => boolean = () => true): readonly string[] {
  const ofBytes = (bytes: Uint8Array) => [Buffer.from(bytes).toString('utf8'), Buffer.from(bytes).toString('latin1')];
  if ('S' in value) return [value.S];
  if ('N' in value) return [value.N].filter(isWanted);
  if ('B' in value) return ofBytes(value.B);
  if ('SS' in value) return value.SS;
  if ('NS' in value) return value.NS.filter(isWanted);
  if ('BS' in value) return value.BS.flatMap(ofBytes);
  if ('L' in value) return value.L.flatMap((entry) => textsOf(entry, isWanted));
  if (!('M' in value)) return [];
  return Object.entries(value.M).flatMap(([name, entry]) => [name, ...textsOf(entry, isWanted)]);
}

/** The text as it is, and through escapes, URL encoding, entities, base64 and hexadecimal digits, so many of the last two deep. */
export function readingsOf(text: string, depth: number): readonly string[] {
  const plainly = [text, unescaped(text), decoded(text), decoded(decoded(text)), withoutEntities(text), withoutControls(text)];
  const inside = [...text.matchAll(/[\w+/-]{7,}=*/g)].flatMap(([run]) =>
    (['base64', 'hex'] as const).flatMap((form) => [Buffer.from(run, form).toString('utf8')]),
  );
  return [...plainly, ...(depth === 0 ? [] : inside.flatMap((one) => readingsOf(one, depth - 1)))];
}

/** Small letters without accents, and digits. */
export function reduced(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

const withoutEntities = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
const withoutControls = (text: string) => text.replaceAll(/\\[nrt]/g, ' ');

function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}

function unescaped(text: string): string {
  return text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
