import { expect } from 'chai';
import fc from 'fast-check';
import { KeyCounts } from '../../../engine/core/capacity/key-counts.ts';
import { seededRandom } from '../../support/fault-proxy.ts';

interface Truth {
  readonly total: number;
  readonly keys: number;
  readonly largest: { readonly key: string; readonly share: number };
}

/** Counts the keys by the sketch and exactly. */
function count(keys: Iterable<string>): { readonly counts: KeyCounts; readonly truth: Truth } {
  const counts = new KeyCounts();
  const exact = new Map<string, number>();
  let total = 0;
  for (const key of keys) {
    counts.add(key);
    exact.set(key, (exact.get(key) ?? 0) + 1);
    total += 1;
  }
  const [key, most] = [...exact].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  return { counts, truth: { total, keys: exact.size, largest: { key, share: most / total } } };
}

function* drawn(items: number, of: number, hotShare: number, seed: number): Generator<string> {
  const random = seededRandom(seed);
  for (let at = 0; at < items; at += 1) yield random() < hotShare ? 'hot' : `key-${Math.floor(random() * of)}`;
}

describe('the count of partition keys', () => {
  it('is exact while there are few of them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 6 }), { minLength: 1, maxLength: 400 }), (keys) => {
        const { counts, truth } = count(keys);
        const { total, keys: found, exact, largest } = counts.spread;
        expect({ total, keys: found, exact }).to.deep.equal({ total: truth.total, keys: truth.keys, exact: true });
        expect(largest?.share).to.equal(truth.largest.share);
      }),
    );
  });

  it('never tells the largest share too small, and too large by less than a twentieth of a percent', () => {
    fc.assert(
      fc.property(
        fc.record({
          items: fc.integer({ min: 1, max: 60_000 }),
          of: fc.integer({ min: 1, max: 60_000 }),
          hotShare: fc.constantFrom(0, 0.001, 0.05, 0.7, 1),
          seed: fc.nat(),
        }),
        ({ items, of, hotShare, seed }) => {
          const { counts, truth } = count(drawn(items, of, hotShare, seed));
          const { largest, total } = counts.spread;
          expect(total).to.equal(truth.total);
          expect(largest?.share).to.be.at.least(truth.largest.share - 1e-12);
          expect(largest?.share).to.be.at.most(truth.largest.share + 1 / 2_048);
          if (truth.largest.share > 0.01) expect(largest?.key).to.equal(truth.largest.key);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('finds a hot key also when it comes last, behind many others', () => {
    const { counts } = count([...drawn(50_000, 50_000, 0, 1), ...Array.from({ length: 10_000 }, () => 'hot')]);
    expect(counts.spread.largest).to.deep.include({ key: 'hot' });
  });

  it('knows how many different ones there were within a tenth, however many', () => {
    for (const [items, of] of [
      [20_000, 5_000],
      [60_000, 40_000],
      [200_000, 1_000_000],
    ] as const) {
      const { counts, truth } = count(drawn(items, of, 0, of));
      const { keys, exact } = counts.spread;
      expect(exact).to.equal(false);
      expect(keys / truth.keys).to.be.within(0.9, 1.1);
    }
  });
});
