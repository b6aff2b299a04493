import { expect } from 'chai';
import { progressLine } from '../../../engine/cli/show/progress-text.ts';
import { plural, showBytes, showCost, showDuration, showNumber, showUnits } from '../../../engine/core/show/numbers.ts';

describe('numbers as people read them', () => {
  it('have thousands apart and one digit behind the point at most', () => {
    expect([0, 999.96, 12_345.67, 1_000_000].map(showNumber)).to.deep.equal(['0', '1,000', '12,345.7', '1,000,000']);
    expect([plural(1, 'item'), plural(2_000, 'item'), plural(2, 'index', 'indexes')]).to.deep.equal([
      '1 item',
      '2,000 items',
      '2 indexes',
    ]);
  });

  it('show half a unit, which is the least that is charged', () => {
    expect([0.5, 3, 10.25, 1_234_567].map(showUnits)).to.deep.equal(['0.5', '3.0', '10.3', '1,234,567.0']);
  });

  it('tell durations in the two largest units that there are', () => {
    expect([0.44, 9.94, 9.96, 59.4, 121, 3_599.6, 12_060].map(showDuration)).to.deep.equal([
      '0.4 s',
      '9.9 s',
      '10 s',
      '59 s',
      '2 min 1 s',
      '1 h 0 min',
      '3 h 21 min',
    ]);
  });

  it('tell sizes and prices with as many digits as show more than nothing', () => {
    const sizes = [1_023, 1_024, 1_024 ** 2 - 1, 5 * 1_024 ** 2, 1.5 * 1_024 ** 3, 7 * 1_024 ** 4, 2_000 * 1_024 ** 4];
    expect(sizes.map(showBytes)).to.deep.equal([
      ...['1023 B', '1.0 KB', '1,024.0 KB', '5.0 MB', '1.5 GB', '7.0 TB', '2,000.0 TB'],
    ]);
    expect([0, 12.345, 0.004, 0.000_01].map(showCost)).to.deep.equal(['$0', '$12.35', '$0.0040', 'below $0.0001']);
  });
});

describe('the line of progress', () => {
  it('says what, how far, how fast, within which budget and what is left', () => {
    const units = { kind: 'WCU', perSecond: 9_120.4, budget: 10_000 } as const;
    const state = { label: 'oms', done: 410_000, total: 1_000_000, units, throttles: 3, remarks: ['2 dead letters'] };
    expect(progressLine(state, { perSecond: 4_870, etaSeconds: 121 })).to.equal(
      'oms 41% 410,000 of 1,000,000 items, 4,870/s, 9,120 WCU/s of 10,000, 3 throttled, 2 dead letters, 2 min 1 s left',
    );
  });

  it('leaves out what nobody knows', () => {
    const unlimited = { kind: 'RCU', perSecond: 12, budget: Number.POSITIVE_INFINITY } as const;
    expect(
      progressLine({ label: 'x', done: 5, counted: 'rows', units: unlimited }, { perSecond: 1, etaSeconds: undefined }),
    ).to.equal('x 5 rows, 1/s, 12 RCU/s');
    expect(progressLine({ label: 'x', done: 7, total: 7 }, { perSecond: 1, etaSeconds: 0 })).to.equal('x 100% 7 of 7 items, 1/s');
  });
});
