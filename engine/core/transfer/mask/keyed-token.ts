import type { KeyedHash } from './permute.ts';

/** RFC 4648's base32 in small letters: 16 symbols hold 80 bits. */
const symbols = 'abcdefghijklmnopqrstuvwxyz234567';
const tokenLength = 16;

/** A text of fixed length that stands for another one. */
export function keyedToken(tweak: string, text: string, hash: KeyedHash): string {
  const bytes = hash(`token|${tweak}|${text.normalize('NFC')}`);
  return Array.from({ length: tokenLength }, (_, at) => symbols[(bytes[at] ?? 0) % symbols.length]).join('');
}

/** As many as a number of DynamoDB holds exactly, and JavaScript too. */
const digitLength = 12;

/** A number of fixed length that stands for another one; never with a zero in front. */
export function keyedDigits(tweak: string, text: string, hash: KeyedHash): string {
  const drawn = Buffer.from(hash(`digits|${tweak}|${text}`)).readBigUInt64BE();
  const least = 10n ** BigInt(digitLength - 1);
  return String(least + (drawn % (9n * least)));
}
