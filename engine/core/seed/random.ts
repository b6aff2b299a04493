/**
 * Seeded random numbers: the same seed and stream give the same numbers everywhere, by integer arithmetic alone (sfc32 by
 * Chris Doty-Humphrey). A stream per group of records keeps groups independent of each other.
 */
export interface Random {
  /** A whole number from 0 to below `limit` (at most 2^32). */
  below(limit: number): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True this many times in a thousand. */
  chance(perThousand: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A place in a table of weights made by `skewed` or `weighted`. */
  place(weights: Weights): number;
}

/** Cumulative weights. */
export interface Weights {
  readonly sums: readonly number[];
}

export function seededRandom(seed: number, stream: number): Random {
  const next = sfc32(seed, stream);
  const below = (limit: number): number => Math.floor((next() * limit) / 0x1_0000_0000);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (perThousand) => below(1_000) < perThousand,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('nothing to pick from');
      return list[below(list.length)] as (typeof list)[number];
    },
    place: ({ sums }) => search(sums, below(sums.at(-1) ?? 0)),
  };
}

/** Weights that fall as 1/rank: a few take most, the rest a long tail. */
export function skewed(count: number): Weights {
  return weighted(Array.from({ length: count }, (_, rank) => Math.floor(1_000_000 / (rank + 1))));
}

export function weighted(weights: readonly number[]): Weights {
  let sum = 0;
  return {
    sums: weights.map((weight) => {
      sum += weight;
      return sum;
    }),
  };
}

/** The first place whose sum is above the value. */
function search(sums: readonly number[], value: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sfc32(seed: number, stream: number): () => number {
  let a = seed >>> 0;
  let b = Math.floor(seed / 0x1_0000_0000) >>> 0;
  let c = stream >>> 0;
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  // Neighbouring seeds start alike; a dozen rounds set them apart.
  for (let round = 0; round < 15; round += 1) next();
  return next;
}
