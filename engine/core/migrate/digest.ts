const prime = 0x0000_0100_0000_01b3n;
const offset = 0xcbf2_9ce4_8422_2325n;
const mask = 0xffff_ffff_ffff_ffffn;

/** FNV-1a over 64 bits, twice with different starts: a short name for a key of any length. Not for secrets. */
export function digest(text: string): string {
  return `${fnv(text, offset)}${fnv(text, offset ^ mask)}`;
}

function fnv(text: string, start: bigint): string {
  let hash = start;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  return hash.toString(16).padStart(16, '0');
}
