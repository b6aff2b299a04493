import { type AttributeValue, attributeOf, type Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { decimalProblem } from '../../../tables/model/decimal.ts';
import { keyProblems, maxKeyBytes, showKey } from '../../../tables/model/item.ts';
import { type KeyAttribute, keyAttributes, keyNames } from '../../../tables/model/table.ts';
import { estimateDeleteUnits, estimatePutUnits } from '../capacity/write-units.ts';
import { toJsonItem } from '../item/dynamo-json.ts';
import { itemBytes, maxItemBytes } from '../item/item-size.ts';
import { bodyOf, type WriteRequest, type WriteTable } from './write-request.ts';

/** A request that may be sent, measured once. */
export interface Measured {
  /** See `keyIdentity`. */
  readonly key: string;
  /** An upper bound of its bytes on the wire. */
  readonly wireBytes: number;
  /** Write units that it is expected to cost, index writes included. */
  readonly units: number;
}

export type Checked = Measured | { readonly problems: readonly string[] };

/**
 * JSON spells a value in at most this many times its stored size: an empty text in a list is stored as 1 byte and sent as
 * `{"S":""},`, a false as 2 and `{"BOOL":false},`; a control character becomes six.
 */
const maxWireGrowth = 10;
/** UTF-8 takes at most three bytes for what is one of a string's units. */
const maxCharacterBytes = 3;
const requestFrameBytes = 64;
/** Items above this are serialised to know their wire size; below, 25 of them cannot reach the limit anyway. */
const measureWireAboveBytes = 48 * 1_024;

/** The check of one table's requests: made once, run on every request, so it avoids work for those that are right. */
export function requestChecker(table: WriteTable): (request: WriteRequest) => Checked {
  const attributes = keyAttributes(table);
  const limits = attributes.map((attribute) => maxKeyBytes(table, attribute));
  const isShared = table.indexes.some(({ hash, range }) => hash.length > 1 || range.length > 1);
  const primary = keyNames(table.key);
  const isPlain = (body: Item): boolean =>
    !isShared &&
    primary.every((name) => Object.hasOwn(body, name)) &&
    attributes.every((attribute, at) => fits(attribute, limits[at] ?? 0, body));
  return (request) => {
    const asText = 'put' in request ? request.asText : undefined;
    const body = asText?.part ?? bodyOf(request);
    if (!isPlain(body)) {
      const problems = [...keyProblems(table, body), ...attributes.flatMap((attribute) => numberProblems(attribute, body))];
      if (problems.length > 0) return { problems };
    }
    if (asText !== undefined) return checkPut(table, asText.part, asText.bytes, textBytes(asText.text));
    if (!('put' in request)) return checkDelete(table, primary, request.delete);
    const bytes = itemBytes(body);
    return checkPut(table, body, bytes, wireBytes(body, bytes));
  };
}

/** The attributes that are looked at before a put is sent: those of the keys, and of what its indexes hold. */
export function measuredNames(table: WriteTable): ReadonlySet<string> {
  const included = table.indexes.flatMap(({ projection }) => (typeof projection === 'string' ? [] : projection.include));
  return new Set([...keyAttributes(table).map(({ name }) => name), ...included]);
}

function checkPut(table: WriteTable, item: Item, bytes: number, onWire: number): Checked {
  if (bytes > maxItemBytes) {
    return { problems: [`${showKey(table, item)}: the item has ${bytes} bytes, DynamoDB holds at most ${maxItemBytes}`] };
  }
  return {
    key: keyIdentity(table.key, item),
    wireBytes: onWire,
    units: estimatePutUnits(table, item, bytes),
  };
}

function checkDelete(table: WriteTable, primary: readonly string[], key: Item): Checked {
  const extra = Object.keys(key).filter((name) => !primary.includes(name));
  if (extra.length > 0) return { problems: extra.map((name) => `${name}: not a part of the key, a delete takes only the key`) };
  return {
    key: keyIdentity(table.key, key),
    wireBytes: wireBytes(key, itemBytes(key)),
    units: estimateDeleteUnits(table),
  };
}

function textBytes(text: string): number {
  const most = text.length <= measureWireAboveBytes ? text.length * maxCharacterBytes : Buffer.byteLength(text);
  return most + requestFrameBytes;
}

function wireBytes(body: Item, bytes: number): number {
  if (bytes <= measureWireAboveBytes) return bytes * maxWireGrowth + requestFrameBytes;
  return Buffer.byteLength(JSON.stringify(toJsonItem(body))) + requestFrameBytes;
}

/** Is the attribute, where present, a key that DynamoDB takes? A quick yes; a no is looked at again for its reason. */
function fits(attribute: KeyAttribute, maxBytes: number, body: Item): boolean {
  const value: AttributeValue | undefined = attributeOf(body, attribute.name);
  if (value === undefined) return true;
  if (attribute.type === 'S' && 'S' in value) return value.S !== '' && Buffer.byteLength(value.S) <= maxBytes;
  if (attribute.type === 'N' && 'N' in value) return decimalProblem(value.N) === undefined;
  return attribute.type === 'B' && 'B' in value && value.B.byteLength > 0 && value.B.byteLength <= maxBytes;
}

function numberProblems(attribute: KeyAttribute, body: Item): readonly string[] {
  const value = attributeOf(body, attribute.name);
  if (attribute.type !== 'N' || value === undefined || !('N' in value)) return [];
  const problem = decimalProblem(value.N);
  return problem === undefined ? [] : [`${attribute.name}: ${problem}`];
}
