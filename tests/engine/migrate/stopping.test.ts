import { expect } from 'chai';
import { backfill, defineMigration, waitForIndexes } from '../../../engine/core/migrate/define-migration.ts';
import { runRetry } from '../../../engine/run/migrate/run-retry.ts';
import { runVerify } from '../../../engine/run/migrate/run-verify.ts';
import { scalarText } from '../../../tables/model/attribute-value.ts';
import { ledgerOf, migrate, migrateEnvironment, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { copyReds, indexColours, resetToys, someThings, things, toyTables } from '../../support/toy-table.ts';

/** Longer than any test lasts. */
const farMs = 600_000;

describe('a migration that is stopped', () => {
  const engine = useEngine(toyTables);
  beforeEach(() => resetToys(engine(), someThings(40)));

  it('while it waits to send a batch again is interrupted, and the next run goes on', async () => {
    const base = migrateEnvironment(engine(), {
      tables: toyTables,
      tuning: { retry: { maxAttempts: 14, baseDelayMs: farMs, maxDelayMs: farMs } },
    });
    const stop = new AbortController();
    const emit: typeof base.emit = (event) => {
      if (event.kind === 'retry') stop.abort();
    };
    const execute: typeof base.data.execute = async () => ({ kind: 'failed', cause: 'throttled', message: 'no capacity' });
    const environment = { ...base, emit, random: () => 1, data: { ...base.data, execute } };
    const cut = await migrate(environment, [indexColours], { signal: stop.signal });
    expect(cut.outcome).to.equal('interrupted');
    expect((await ledgerOf(base).state(indexColours.id))?.state).to.equal('interrupted');
    const report = await migrate(base, [indexColours]);
    expect(report.results.map(({ state, counts }) => [state, counts.changed])).to.deep.equal([['verified', 40]]);
  });

  it('while it waits for an index is interrupted, not failed', async () => {
    const [index] = things.indexes;
    const waiting = defineMigration({
      id: '0009-wait-long',
      description: 'x',
      steps: [waitForIndexes(things, index?.name ?? '')],
    });
    const base = migrateEnvironment(engine(), { tables: toyTables });
    const stop = new AbortController();
    const describeTable: typeof base.data.describeTable = async (...given) => {
      const found = await base.data.describeTable(...given);
      return found && { ...found, indexes: found.indexes.map((one) => ({ ...one, status: 'CREATING' })) };
    };
    const emit: typeof base.emit = (event) => {
      if (event.kind === 'message') setImmediate(() => stop.abort());
    };
    const environment = { ...base, emit, data: { ...base.data, describeTable } };
    const cut = await migrate(environment, [waiting], { signal: stop.signal });
    expect(cut.outcome).to.equal('interrupted');
    const found = await ledgerOf(base).state(waiting.id);
    expect([found?.state, found?.error]).to.deep.equal(['interrupted', undefined]);
  });

  it('while it retries its dead letters is not called incomplete for what nobody looked at', async () => {
    const picky = (isPicky: boolean) =>
      defineMigration({
        ...indexColours,
        steps: [
          backfill({
            name: 'colour keys',
            table: things,
            reads: ['colour'],
            writes: ['colour-key'],
            change: (item) => {
              if (isPicky && scalarText(item.id) === 'thing-0003') throw new Error('not this one');
              return { set: { 'colour-key': { S: `COLOUR#${scalarText(item.colour)}` } } };
            },
          }),
        ],
      });
    const base = migrateEnvironment(engine(), { tables: toyTables });
    expect((await migrate(base, [picky(true)])).outcome).to.equal('incomplete');
    const stop = new AbortController();
    const scan: typeof base.data.scan = async (...given) => {
      stop.abort();
      return base.data.scan(...given);
    };
    const cut = await runRetry({ ...base, data: { ...base.data, scan } }, sourceOf(picky(false)), stop.signal);
    expect([cut.tried, cut.dead, cut.result.state]).to.deep.equal([1, 0, 'interrupted']);
    expect((await ledgerOf(base).state(indexColours.id))?.state).to.equal('incomplete');
    expect((await migrate(base, [picky(false)])).results.map(({ state }) => state)).to.deep.equal(['verified']);
  });

  it('while it looks at the last page has proven nothing, whatever it had read', async () => {
    const base = migrateEnvironment(engine(), { tables: toyTables, tuning: { segments: 1, pageItems: 1_000 } });
    const stopped = (stop: AbortController): typeof base => {
      const batchGet: typeof base.data.batchGet = async () => {
        stop.abort();
        throw stop.signal.reason;
      };
      const scan: typeof base.data.scan = async (request, ...more) => {
        if (request.ConsistentRead === true) data.batchGet = batchGet;
        return base.data.scan(request, ...more);
      };
      const data = { ...base.data, scan };
      return { ...base, data };
    };
    const first = new AbortController();
    const cut = await migrate(stopped(first), [copyReds], { signal: first.signal });
    expect([first.signal.aborted, cut.outcome]).to.deep.equal([true, 'interrupted']);
    expect((await ledgerOf(base).state(copyReds.id))?.state).to.equal('interrupted');
    expect((await migrate(base, [copyReds])).results.map(({ state }) => state)).to.deep.equal(['verified']);
    const verifiedAt = (await ledgerOf(base).state(copyReds.id))?.verifiedAt;
    const second = new AbortController();
    const results = await runVerify(stopped(second), [sourceOf(copyReds)], copyReds.id, second.signal);
    expect([second.signal.aborted, results.map(({ state }) => state)]).to.deep.equal([true, ['interrupted']]);
    expect((await ledgerOf(base).state(copyReds.id))?.verifiedAt).to.equal(verifiedAt);
  });
});
