import type { AttributeValue, Item } from '../../tables/model/attribute-value.ts';
import { readingsOf, reduced, textsOf } from './text-readings.ts';

const bare = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '');
const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '');
const wide = (text: string) => text.replaceAll(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));
const entities = (text: string) => text.replaceAll(/[^a-z0-9 ]/gi, (one) => `&#${one.codePointAt(0)};`);
const base64 = (text: string, form: 'base64' | 'base64url' = 'base64') => Buffer.from(text).toString(form);
const token = (text: string) =>
  `${base64('{"alg":"none"}', 'base64url')}.${base64(JSON.stringify({ sub: text }), 'base64url')}.c2ln`;
const escaped = (text: string) => text.replaceAll(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const isNumeric = (value: string) => /\d{5}/.test(bare(value)) && !/\p{L}/u.test(value);

/** The same value in every place and spelling that a mask has to find; more than thirty. */
export function plantedIn(value: string): Item {
  const digits = value.replaceAll(/\D/g, '').replace(/^0+/, '');
  const bytes = (text: string) => new TextEncoder().encode(text);
  const places: Record<string, AttributeValue> = {
    p01: { S: value },
    p02: { S: `please call ${value}, and soon` },
    p03: { S: value.toUpperCase() },
    p04: { S: `<${value.toLowerCase()}>` },
    p05: { S: bare(value) },
    p06: { S: encodeURIComponent(value) },
    p07: { S: `https://x.test/?q=${encodeURIComponent(value).toLowerCase()}&r=1` },
    p08: { S: JSON.stringify({ told: [value] }) },
    p09: { L: [{ S: 'before' }, { S: value }] },
    p10: { M: { inner: { L: [{ M: { deep: { S: `x ${value} y` } } }] } } },
    p11: { M: { [value]: { S: 'by key' }, other: { BOOL: true } } },
    p12: { M: { in: { M: { [`of ${value.toUpperCase()}`]: { N: '1' } } } } },
    p13: { SS: ['nothing', value] },
    p14: { SS: [`a ${bare(value).toUpperCase()} b`, 'c'] },
    p15: { B: bytes(`bytes of ${value}`) },
    p16: { B: Uint8Array.from([0xff, 0xfe, 0x00, ...bytes(value), 0xff, 0x80]) },
    p17: { BS: [bytes(value), bytes('else')] },
    p18: { S: plain(value) },
    p19: { S: escaped(`"${value}"`) },
    p20: { S: [...bare(value)].join(' ') },
    p21: { S: value.replaceAll(/[^\p{L}\p{N}]+/gu, '_') },
    p25: { S: base64(`to ${value}.`) },
    p26: { S: `Bearer ${token(value)}` },
    p27: { S: Buffer.from(value).toString('hex') },
    p28: { S: encodeURIComponent(encodeURIComponent(value)) },
    p29: { S: `<b>${entities(value)}</b>` },
    p30: { S: value.normalize('NFD') },
    p31: { S: wide(value) },
    p32: { S: JSON.stringify(JSON.stringify({ a: escaped(value) })) },
    p33: { S: JSON.stringify(value.replaceAll(/[^\p{L}\p{N}]+/gu, '\n')) },
    p34: { B: Buffer.from(`\ufeff${value}`, 'utf16le') },
    p35: { S: [...value].join('\u200b') },
    p36: { B: bytes(base64(value)) },
    p38: { S: base64(JSON.stringify({ inside: base64(value) })) },
    [`of ${value}`]: { S: 'by the name of an attribute' },
    [`of_${bare(value).toLowerCase()}`]: { S: 'and once more' },
  };
  if (!isNumeric(value)) return places;
  return { ...places, p22: { N: digits }, p23: { NS: [digits, '1'] }, p24: { L: [{ N: `${digits}.0` }] }, p37: { S: digits } };
}

/** Is the value anywhere in the item, in any of these ways? Knows nothing of how masks look for it. */
export function isFoundIn(item: Item, value: string): readonly string[] {
  const bareNumber = reduced(value).replace(/^0+(?=\d+$)/, '');
  const wanted = isNumeric(value) ? bareNumber : reduced(value);
  return textsOf({ M: item }).filter((text) => readingsOf(text, 2).some((one) => reduced(one).includes(wanted)));
}
