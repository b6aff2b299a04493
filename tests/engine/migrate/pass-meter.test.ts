import { expect } from 'chai';
import fc from 'fast-check';
import { noCounts, noUnits } from '../../../engine/core/migrate/counts.ts';
import { PassMeter } from '../../../engine/run/migrate/backfill/pass-context.ts';

describe('the meter of a pass', () => {
  it('never tells of more items changed than read, and of no fewer than before, whenever it is asked', () => {
    const page = fc.record({ read: fc.integer({ min: 1, max: 50 }), share: fc.double({ min: 0, max: 1, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(page, { maxLength: 12 }), (pages) => {
        const meter = new PassMeter();
        let last = meter.present.counts;
        const look = (): void => {
          const { counts } = meter.present;
          expect(counts.changed).to.be.at.most(counts.scanned);
          expect(counts.scanned).to.be.at.least(last.scanned);
          last = counts;
        };
        let before = { counts: noCounts, units: noUnits };
        for (const { read, share } of pages) {
          const changed = Math.floor(read * share);
          // Batches are told of as they are written; the page counts at its checkpoint.
          for (let at = 0; at < changed; at += 1) {
            meter.live({ write: 1, changed: 1 });
            look();
          }
          const counts = { ...noCounts, scanned: before.counts.scanned + read, changed: before.counts.changed + changed };
          const after = { counts, units: { read: 0, write: before.units.write + changed } };
          meter.pass(before, after, [{ units: { read: 0, write: changed }, done: changed }]);
          look();
          before = after;
        }
        expect(meter.present.counts.scanned).to.equal(pages.reduce((sum, { read }) => sum + read, 0));
      }),
    );
  });
});
