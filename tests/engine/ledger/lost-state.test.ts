import { expect } from 'chai';
import { repairLedger } from '../../../engine/run/ledger/repair-ledger.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { contentOf, ledgerOf, migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, things, toyTables } from '../../support/toy-table.ts';

describe('a state that is gone', () => {
  const engine = useEngine(toyTables);
  const environment = () => migrateEnvironment(engine(), { tables: toyTables });
  const signal = new AbortController().signal;
  const lose = () => engine().removeRaw(ledger, [{ PK: { S: 'MIGRATIONS' }, SK: { S: indexColours.id } }]);
  beforeEach(() => resetToys(engine(), someThings(20)));

  it('is made again by a repair, so that a rollback undoes everything and a migrate proves it', async () => {
    const before = await contentOf(engine(), things);
    await migrate(environment(), [indexColours]);
    await lose();
    const { damaged } = await repairLedger(environment(), [sourceOf(indexColours)], signal);
    expect(damaged.map(({ key, problems, outcome }) => [key, problems, outcome])).to.deep.equal([
      [`MIGRATIONS / ${indexColours.id}`, ['it is missing'], 'rebuilt'],
    ]);
    expect((await ledgerOf(environment()).state(indexColours.id))?.state).to.equal('applied');
    expect((await rollback(environment(), [indexColours])).outcome).to.equal('done');
    expect(await contentOf(engine(), things)).to.deep.equal(before);
    await lose();
    await repairLedger(environment(), [sourceOf(indexColours)], signal);
    const again = await migrate(environment(), [indexColours]);
    expect(again.results.map(({ state }) => state)).to.deep.equal(['verified']);
  });

  it('is not made again when a repair took it out because its file was gone', async () => {
    await migrate(environment(), [indexColours]);
    await repairLedger(environment(), [], signal);
    const { damaged } = await repairLedger(environment(), [sourceOf(indexColours)], signal);
    expect(damaged).to.deep.equal([]);
  });
});
