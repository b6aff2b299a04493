import { expect } from 'chai';
import { Journey } from '../../bench/natural-keys/journey.ts';
import type { EngineName } from '../../engine/local/choose-engine.ts';
import type { Keys } from '../../examples/natural-keys/desk.ts';
import { seededRandom } from '../support/fault-proxy.ts';
import { skipWithout } from '../support/java.ts';

/** The small version of `npm run bench:natural`. */
const items = 240;
const kills = 2;
const pauseMs = 40;

function goes(keys: Keys, engine: EngineName): void {
  describe(`an index of ${keys === 'single' ? 'single attributes' : 'several attributes'} on ${engine}`, () => {
    skipWithout(engine);

    it('goes from a made-up key to natural attributes and back, killed, beside an application that reads and writes', async () => {
      const figures = await Journey.run({ keys, engine, items, kills, pauseMs, random: seededRandom(21) });
      const { live, legs, migrations, record, proof } = figures;
      expect([live.wrong, live.failures]).to.deep.equal([[], []]);
      // Only DynamoDB Local leaves writes without an answer, while it makes or drops an index.
      if (engine === 'dynoxide') expect(live.unsure).to.equal(0);
      expect(live.writes).to.be.above(50);
      expect(live.reads).to.be.above(10);
      expect(legs.reduce((sum, leg) => sum + leg.kills, 0)).to.equal(kills);
      expect(migrations.map(({ id }) => id.slice(0, 4))).to.deep.equal(['0001', '0002', '0003', '0004', '0005', '0006']);
      // Every record loses the key, and gets it again.
      expect(migrations.find(({ id }) => id.startsWith('0003'))?.changed).to.be.above(items / 2);
      expect(migrations.find(({ id }) => id.startsWith('0004'))?.changed).to.be.at.least(items / 2);
      // Keys are read once for the check; parity reads them again, and every list.
      for (const { check, parity } of Object.values(proof)) expect(parity).to.be.above(check);
      expect(record.natural.bytes).to.be.below(record.madeUp.bytes);
    }).timeout(600_000);
  });
}

goes('single', 'dynoxide');
goes('several', 'dynamodb-local');
