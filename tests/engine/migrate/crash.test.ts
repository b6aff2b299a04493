import { expect } from 'chai';
import type { Migration } from '../../../engine/core/migrate/define-migration.ts';
import type { MigrateEnvironment } from '../../../engine/run/migrate/environment.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { type Death, Died, dyingEnvironment } from '../../support/dying-environment.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, rollback } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, indexColours, resetToys, someThings, thingOf, things, toyTables } from '../../support/toy-table.ts';

const leaseMs = 30_000;
const items: readonly Item[] = [
  ...someThings(7).map((item, at) => (at % 4 === 0 ? { ...item, old: { S: 'x' } } : item)),
  // Right already, written so by the application: no run may count or undo it.
  thingOf(7, { 'colour-key': { S: 'COLOUR#red' } }),
];

describe('a run that dies', function () {
  // Some hundred runs, each of them cut off somewhere else.
  this.timeout(180_000);
  const engine = useEngine(toyTables);
  const tuning = { segments: 2, pageItems: 3, batchesInFlight: 1, leaseMs, heartbeatMs: 60_000 };
  /** Each process starts later than the lease of the one before it. */
  const process = (number: number): MigrateEnvironment =>
    migrateEnvironment(engine(), { tables: toyTables, tuning, overrides: { nowMs: () => Date.now() + number * (leaseMs + 1) } });

  const dies = async (migration: Migration, number: number, at: number, death: Death): Promise<boolean> => {
    const { environment } = dyingEnvironment(process(number), at, death);
    try {
      await migrate(environment, [migration]);
      return false;
    } catch (error) {
      expect(error).to.be.instanceOf(Died);
      return true;
    }
  };

  const outcomeOf = async (migration: Migration) => {
    const state = await ledgerOf(process(0)).state(migration.id);
    // Whether a scan meets an item that was inserted while it ran is chance, and so is their number among those scanned.
    const counts = migration === copyReds ? state?.counts.changed : state?.counts;
    return { things: await contentOf(engine(), things), state: state?.state, counts, dead: state?.dead };
  };

  for (const migration of [indexColours, copyReds]) {
    for (const death of ['before', 'after', 'half'] as const) {
      it(`at any write of ${migration.id}, ${death} it: the next one ends as an undisturbed run, and a rollback restores all`, async () => {
        await resetToys(engine(), items);
        const initial = await contentOf(engine(), things);
        const counting = dyingEnvironment(process(0));
        await migrate(counting.environment, [migration]);
        const undisturbed = await outcomeOf(migration);
        expect(undisturbed.state).to.equal('verified');
        expect(counting.writes.length).to.be.greaterThan(8);
        for (let at = 1; at <= counting.writes.length; at += 1) {
          if (death === 'half' && counting.writes[at - 1] === 'ledger') continue;
          await resetToys(engine(), items);
          const died = await dies(migration, 0, at, death);
          if (!died) continue;
          const report = await migrate(process(1), [migration]);
          expect(report.outcome, `write ${at}: ${JSON.stringify(report)}`).to.equal('done');
          expect(await outcomeOf(migration), `write ${at} (${counting.writes[at - 1]})`).to.deep.equal(undisturbed);
          await rollback(process(2), [migration]);
          expect(await contentOf(engine(), things), `rollback after write ${at}`).to.deep.equal(initial);
        }
      });
    }
  }

  it('again and again, at many places, ends as an undisturbed run', async () => {
    await resetToys(engine(), items);
    await migrate(process(0), [indexColours]);
    const undisturbed = await outcomeOf(indexColours);
    await resetToys(engine(), items);
    let runs = 0;
    for (const [at, death] of [
      [3, 'after'],
      [5, 'half'],
      [4, 'before'],
      [6, 'after'],
      [2, 'after'],
      [7, 'half'],
    ] as const) {
      await dies(indexColours, runs, at, death);
      runs += 1;
    }
    expect((await migrate(process(runs), [indexColours])).outcome).to.equal('done');
    expect(await outcomeOf(indexColours)).to.deep.equal(undisturbed);
  });
});
