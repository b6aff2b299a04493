import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { TablewrightError } from '../tables/model/error.ts';
import { fromJsonItem, toJsonItem } from './core/item/dynamo-json.ts';
import { badCursor, type CursorBinding, type CursorPosition, type CursorSeal } from './core/read/cursor.ts';

export const minSecretBytes = 16;
const nonceBytes = 12;
const keyBytes = 32;
const tagBytes = 16;
const version = 1;
const cipher = 'aes-256-gcm';

/**
 * Seals cursors with AES-256-GCM under a key that follows from the application's secret: a client sees nothing of the record
 * keys inside and cannot change them. What a cursor is bound to is authenticated with it but not carried in it.
 */
export function cursorSeal(secret: string | Uint8Array): CursorSeal {
  const key = keyFrom(secret);
  return {
    seal: (binding, position) => {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(boundTo(binding));
      const sealed = Buffer.concat([
        sealing.update(JSON.stringify({ ...position, key: toJsonItem(position.key) })),
        sealing.final(),
      ]);
      return Buffer.concat([Buffer.of(version), nonce, sealing.getAuthTag(), sealed]).toString('base64url');
    },
    open: (binding, text) => {
      try {
        return unseal(key, binding, Buffer.from(text, 'base64url'));
      } catch (cause) {
        throw badCursor(binding.pattern, 'it was changed, or it belongs to another read, stack or secret', cause);
      }
    },
  };
}

function keyFrom(secret: string | Uint8Array): Uint8Array {
  const bytes = typeof secret === 'string' ? Buffer.from(secret) : secret;
  if (bytes.byteLength < minSecretBytes) {
    throw new TablewrightError(
      'BAD_ARGUMENT',
      `cursorSecret: expected at least ${minSecretBytes} bytes, found ${bytes.byteLength}`,
      { next: 'Give a random secret, the same in every process that serves pages of one list.' },
    );
  }
  return new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), 'tablewright cursor', keyBytes));
}

function unseal(key: Uint8Array, binding: CursorBinding, bytes: Buffer): CursorPosition {
  const body = 1 + nonceBytes + tagBytes;
  if (bytes[0] !== version || bytes.length <= body) throw new RangeError('not of the form of a cursor');
  const opening = createDecipheriv(cipher, key, bytes.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
    .setAAD(boundTo(binding))
    .setAuthTag(bytes.subarray(1 + nonceBytes, body));
  const position = JSON.parse(
    Buffer.concat([opening.update(bytes.subarray(body)), opening.final()]).toString(),
  ) as CursorPosition;
  return { ...position, key: fromJsonItem(position.key) ?? {} };
}

function boundTo({ stack, pattern, params, reverse }: CursorBinding): Buffer {
  const sorted = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify([version, stack, pattern, sorted, ...(reverse ? ['reverse'] : [])]));
}
