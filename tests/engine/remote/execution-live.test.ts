import { expect } from 'chai';
import type { MigrateEnvironment } from '../../../engine/run/migrate/environment.ts';
import { LiveReader, type LiveStatus } from '../../../engine/run/migrate/read-live.ts';
import { stopRuns } from '../../../engine/run/remote/stop-runs.ts';
import { driveExecution } from '../../support/drive-execution.ts';
import { migrate, migrateEnvironment, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, toyTables } from '../../support/toy-table.ts';

const sources = [sourceOf(indexColours)];

describe('an execution that is watched', () => {
  const engine = useEngine(toyTables);
  const environment = () => migrateEnvironment(engine(), { tables: toyTables, tuning: { heartbeatMs: 50 } });
  const reader = () => new LiveReader(environment(), sources);

  it('is told from its checkpoints as a run of one process tells of itself, pass by pass', async () => {
    await resetToys(engine(), someThings(120));
    const watching = reader();
    const looks: LiveStatus[] = [];
    const look = async () => void looks.push(await watching.look());
    const order = { budget: { read: 0, write: 4_000 } };
    await driveExecution({ sources, environment, name: 'seen', order, beside: look });
    const runs = looks.flatMap(({ run, lock }) => (run === null || run.live === null ? [] : [{ ...run, live: run.live, lock }]));
    expect(runs.length).to.be.above(2);
    for (const { migration, workers, live, lock, segments } of runs) {
      expect([migration, workers, live.token, live.table]).to.deep.equal([indexColours.id, 3, lock?.token, 'toy-things-test']);
      expect(live).to.deep.include({ budget: { read: 0, write: 4_000 }, expected: 120 });
      expect(segments.every(({ pass }) => pass === live.pass)).to.equal(true);
    }
    expect([...new Set(runs.map(({ live }) => live.pass))]).to.deep.equal(['apply', 'verify']);
    const scanned = runs.filter(({ live }) => live.pass === 'apply').map(({ live }) => live.counts.scanned);
    expect(scanned).to.deep.equal(scanned.toSorted((a, b) => a - b));
    expect(scanned.at(-1)).to.be.above(0);
    expect((await watching.look()).run).to.equal(null);
  });

  it('tells what its workers were refused, and why one of them is slow', async () => {
    await resetToys(engine(), someThings(120));
    const watching = reader();
    const seen: NonNullable<NonNullable<LiveStatus['run']>['live']>[] = [];
    let refusals = 0;
    const look = async () => {
      const { run } = await watching.look();
      if (run?.live?.pass === 'apply') seen.push(run.live);
    };
    const short = (): MigrateEnvironment => {
      // Pages so small that there are checkpoints while a unit is at work.
      const real = migrateEnvironment(engine(), { tables: toyTables, tuning: { heartbeatMs: 50, pageItems: 5 } });
      const execute: typeof real.data.execute = async (...given) => {
        await look();
        if (refusals >= 3) return real.data.execute(...given);
        refusals += 1;
        return {
          kind: 'failed',
          cause: 'throttled',
          message: 'too much',
          reasons: [{ reason: 'TableWriteMaxOnDemandThroughputExceeded' }],
        };
      };
      return { ...real, data: { ...real.data, execute } };
    };
    await driveExecution({
      sources,
      environment: short,
      name: 'short',
      order: { budget: { read: 0, write: 4_000 }, workers: 1 },
    });
    const throttles = seen.map((live) => live.throttles);
    expect(throttles).to.deep.equal(throttles.toSorted((a, b) => a - b));
    expect(throttles.at(-1)).to.equal(3);
    const reasons = seen.flatMap(({ slow }) => (slow === undefined ? [] : [slow]));
    expect(reasons.map(({ kind }) => kind)).to.include('refused');
    expect(reasons.find(({ kind }) => kind === 'refused')?.text).to.include('TableWriteMaxOnDemandThroughputExceeded');
  });

  it('that is stopped stays as it was seen last, until another run goes on', async () => {
    await resetToys(engine(), someThings(120));
    const watching = reader();
    let units = 0;
    const beside = async () => {
      units += 1;
      await watching.look();
      if (units === 3) await stopRuns(environment());
    };
    await driveExecution({ sources, environment, name: 'stopped', beside, order: { workers: 1 } });
    const { lock, run, migrations } = await watching.look();
    expect([lock, migrations[0]?.state, run?.workers]).to.deep.equal([null, 'interrupted', 1]);
    expect(run?.live?.counts.scanned).to.be.above(0);
    expect((await reader().look()).run, 'somebody who comes later knows its checkpoints').to.deep.include({
      ...{ migration: indexColours.id, live: null, workers: null },
    });
    await migrate(environment(), [indexColours]);
    expect((await watching.look()).run).to.equal(null);
  });
});
