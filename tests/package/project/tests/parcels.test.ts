import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestBed, proveMigration, type TestBed } from 'tablewright/testing';
import migration from '../migrations/0001-index-parcels.ts';
import { parcel, parcels } from '../tables/parcels.ts';
import project from '../tablewright.config.ts';

describe('parcels', () => {
  let bed: TestBed;

  before(async () => {
    bed = await openTestBed(project);
  });

  after(() => bed.close());

  it('older ones get their index attributes, and lose them again', async () => {
    await bed.putRaw(parcels, [
      { PK: { S: 'PARCEL#p8' }, id: { S: 'p8' }, city: { S: 'Chur' }, state: { S: 'sent' }, at: { S: '2026-01-04T00:00:00Z' } },
    ]);
    await proveMigration(bed, migration, async () => {
      assert.equal((await bed.read(parcels.patterns.byCity, { city: 'Chur' })).length, 1);
    });
  });

  it('are found by city', async () => {
    await bed.put(parcels, parcel, [{ id: 'p9', city: 'Basel', state: 'waiting', at: '2026-01-05T00:00:00Z' }]);
    const [found] = await bed.read(parcels.patterns.byCity, { city: 'Basel' });
    assert.equal(found?.id, 'p9');
    // @ts-expect-error: no parcel has one
    assert.equal(found?.weight, undefined);
  });
});
