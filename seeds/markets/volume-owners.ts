import { type Random, seededRandom, skewed } from '../../engine/author.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ownerCount = 500;
const ownersStream = 0xffff_fff0;

/** Few owners trade in most markets. */
export const ownerWeights = skewed(ownerCount);

/** A text of base 58, as public keys and signatures have it. */
export function base58(random: Random, length: number): string {
  let text = '';
  for (let at = 0; at < length; at += 1) text += alphabet[random.below(alphabet.length)];
  return text;
}

export function ownersOf(seed: number): readonly string[] {
  const random = seededRandom(seed, ownersStream);
  return Array.from({ length: ownerCount }, () => base58(random, 44));
}
