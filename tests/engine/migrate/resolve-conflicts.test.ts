import { expect } from 'chai';
import type { Insert, Update } from '../../../engine/core/migrate/decide-item.ts';
import { PageFates } from '../../../engine/run/migrate/backfill/page-fates.ts';
import { afterConflict, consequenceOf } from '../../../engine/run/migrate/backfill/resolve-conflicts.ts';

const key = { id: { S: 'a' } };
const update: Update = { kind: 'update', key, set: { n: { N: '1' } }, remove: ['old'], guard: {}, before: {} };
const insert: Insert = { kind: 'insert', key, item: key, source: key, guard: {} };
const refused = { kind: 'refused', item: undefined, again: false, failedAt: 0 } as const;

describe('the answer to a guarded write', () => {
  it('settles the item, and the journal keeps what was or may have been done', () => {
    expect(consequenceOf(update, { kind: 'done' })).to.deep.equal({ kind: 'settled', fate: 'changed', kept: true });
    expect(consequenceOf(update, { kind: 'unsent' })).to.deep.equal({ kind: 'settled', fate: 'unsent', kept: false });
    expect(consequenceOf(update, undefined)).to.deep.equal({ kind: 'settled', fate: 'unsent', kept: false });
    expect(consequenceOf(update, { kind: 'unknown' })).to.deep.equal({ kind: 'settled', fate: 'unsent', kept: true });
    for (const uncertain of [true, false]) {
      const dead = { kind: 'dead', reason: 'r', uncertain } as const;
      expect(consequenceOf(update, dead)).to.deep.equal({ kind: 'dead', reason: 'r', kept: uncertain });
    }
  });

  it('is a conflict when the guard of an item or of a new item’s source did not hold', () => {
    const conflict = { item: undefined, mayBeDone: false };
    expect(consequenceOf(update, refused)).to.deep.equal({ kind: 'conflict', conflict, kept: false });
    expect(consequenceOf(insert, { ...refused, failedAt: 1 })).to.deep.equal({ kind: 'conflict', conflict, kept: false });
    const again = consequenceOf(update, { ...refused, again: true });
    expect(again).to.deep.equal({ kind: 'conflict', conflict: { item: undefined, mayBeDone: true }, kept: true });
  });

  it('of a new item whose key is taken says whose item it is', () => {
    expect(consequenceOf(insert, refused)).to.deep.equal({ kind: 'settled', fate: 'right', kept: false });
    expect(consequenceOf(insert, { ...refused, again: true })).to.deep.equal({ kind: 'settled', fate: 'changed', kept: true });
  });
});

describe('an item after a conflict', () => {
  const now = (more: object) => ({ ...key, ...more });

  it('is gone, was changed by a try whose answer was lost, or is decided on anew', () => {
    const lost = { item: undefined, mayBeDone: true };
    expect(afterConflict(update, lost, undefined)).to.deep.equal({ fate: 'gone' });
    expect(afterConflict(update, lost, now({ n: { N: '1.0' } }))).to.deep.equal({ fate: 'changed' });
    const another = now({ n: { N: '2' } });
    expect(afterConflict(update, lost, another)).to.deep.equal({ decideOn: another });
    const kept = now({ n: { N: '1' }, old: { S: 'x' } });
    expect(afterConflict(update, lost, kept)).to.deep.equal({ decideOn: kept });
    const same = now({ n: { N: '1' } });
    expect(afterConflict(update, { item: undefined, mayBeDone: false }, same)).to.deep.equal({ decideOn: same });
  });

  it('has the gravest of the fates that its new items met', () => {
    const fates = new PageFates(3);
    for (const fate of ['changed', 'right', 'dead', 'gone'] as const) fates.mark(1, fate);
    fates.mark(0, 'right');
    expect(fates.all()).to.deep.equal(['right', 'dead', 'unsent']);
  });
});
