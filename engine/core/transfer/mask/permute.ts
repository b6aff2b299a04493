/** A keyed pseudo-random function: the same text gives the same 32 bytes. Comes from outside; the core has no hash. */
export type KeyedHash = (text: string) => Uint8Array;

/** One place of a text that may change: which of how many symbols stands there. */
export interface Digit {
  readonly value: number;
  readonly radix: number;
}

/** Feistel rounds; eight are what NIST's format-preserving modes take as a floor (SP 800-38G Rev. 1, FF3-1). */
const rounds = 8;

/**
 * A keyed permutation of all digit strings of one shape, without a fixed point: the conjugate of "one further" by a Feistel
 * network. A permutation, so different values stay different; without a fixed point, so no value stands for itself.
 */
export function permute(digits: readonly Digit[], tweak: string, hash: KeyedHash): readonly number[] {
  if (digits.length === 0) return [];
  const radices = digits.map((digit) => digit.radix);
  const size = product(radices);
  const shape = `${tweak}|${radices.join(',')}`;
  const network = feistel(radices, shape, hash);
  const mixed = network.forward(toNumber(digits));
  return toDigits(network.backward((mixed + 1n) % size), radices);
}

function feistel(radices: readonly number[], shape: string, hash: KeyedHash) {
  const middle = Math.ceil(radices.length / 2);
  const leftSize = product(radices.slice(0, middle));
  const rightSize = product(radices.slice(middle));
  const round = (at: number, half: bigint, size: bigint): bigint => drawn(`${shape}|${at}|${half}`, size, hash);
  return {
    forward(value: bigint): bigint {
      let left = value / rightSize;
      let right = value % rightSize;
      for (let at = 0; at < rounds; at += 1) {
        if (at % 2 === 0) left = (left + round(at, right, leftSize)) % leftSize;
        else right = (right + round(at, left, rightSize)) % rightSize;
      }
      return left * rightSize + right;
    },
    backward(value: bigint): bigint {
      let left = value / rightSize;
      let right = value % rightSize;
      for (let at = rounds - 1; at >= 0; at -= 1) {
        if (at % 2 === 0) left = (left + leftSize - round(at, right, leftSize)) % leftSize;
        else right = (right + rightSize - round(at, left, rightSize)) % rightSize;
      }
      return left * rightSize + right;
    },
  };
}

/** A number below `size`, from as many hashes as it takes to be even to about 2^-64. */
function drawn(text: string, size: bigint, hash: KeyedHash): bigint {
  const bitsNeeded = size.toString(2).length + 64;
  let value = 0n;
  for (let at = 0; at * 256 < bitsNeeded; at += 1) {
    const part = Buffer.from(hash(`${text}|${at}`)).toString('hex');
    value = (value << 256n) + BigInt(`0x${part}`);
  }
  return value % size;
}

/** How many values have this shape. */
export function sizeOf(digits: readonly Digit[]): bigint {
  return product(digits.map((digit) => digit.radix));
}

function product(radices: readonly number[]): bigint {
  return radices.reduce((size, radix) => size * BigInt(radix), 1n);
}

function toNumber(digits: readonly Digit[]): bigint {
  return digits.reduce((value, digit) => value * BigInt(digit.radix) + BigInt(digit.value), 0n);
}

function toDigits(value: bigint, radices: readonly number[]): readonly number[] {
  const found: number[] = [];
  let rest = value;
  for (const radix of radices.toReversed()) {
    found.push(Number(rest % BigInt(radix)));
    rest /= BigInt(radix);
  }
  return found.toReversed();
}
