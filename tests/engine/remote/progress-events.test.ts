import { expect } from 'chai';
import { noCounts } from '../../../engine/core/migrate/counts.ts';
import { ProgressEvents } from '../../../engine/run/remote/progress-events.ts';
import type { RemoteMigration, RemotePass, RemoteProgress } from '../../../engine/run/remote/read-progress.ts';

const passAt = (scanned: number, more: Partial<RemotePass> = {}): RemotePass => ({
  migration: '0001-a',
  step: 'keys',
  table: 'things-dev',
  pass: 'apply',
  generation: 1,
  segments: 4,
  segmentsDone: 0,
  counts: { ...noCounts, scanned, changed: scanned },
  units: { read: scanned / 2, write: scanned * 2 },
  throttles: 0,
  workers: 2,
  budget: { read: 0, write: 1_000 },
  ...more,
});
const migrationAt = (state: RemoteMigration['state']): RemoteMigration => ({
  id: '0001-a',
  state,
  counts: noCounts,
  units: { read: 0, write: 0 },
  dead: 0,
});
const look = (pass: RemotePass | undefined, state: RemoteMigration['state'] = 'running'): RemoteProgress => ({
  running: true,
  token: 7,
  pass,
  migrations: [migrationAt(state)],
});
const events = () => new ProgressEvents({ description: () => 'Keys', resumed: () => false, expected: () => 1_000 });
const kinds = (told: readonly { readonly kind: string }[]) => told.map(({ kind }) => kind);

describe('what the ledger says of an execution, as events', () => {
  it('tells the lock, the migration and the pass once, and progress at each look', () => {
    const told = events();
    expect(kinds(told.see(look(undefined), 0))).to.deep.equal(['lock-taken', 'migration-started']);
    expect(kinds(told.see(look(passAt(10)), 1_000))).to.deep.equal(['step-started', 'progress']);
    expect(kinds(told.see(look(passAt(20)), 2_000))).to.deep.equal(['progress']);
  });

  it('counts units a second from the looks of the last five seconds; no limit is Infinity', () => {
    const told = events();
    for (const [second, scanned] of [0, 1_000, 1_100, 1_200, 1_300, 1_400, 1_500].entries()) {
      const [last] = told.see(look(passAt(scanned)), second * 1_000).slice(-1);
      if (second < 6 || last?.kind !== 'progress') continue;
      // The jump of the first second is out of the window: 400 items of 2 units in 4 s would be 200, and 500 in 5 s are.
      expect(last.progress.write).to.include({ budget: 1_000, consumedPerSecond: 200 });
      expect(last.progress.read.budget).to.equal(Number.POSITIVE_INFINITY);
    }
  });

  it('counts them from the look before where looks are further apart than that, as of many units', () => {
    const told = events();
    for (const [at, scanned] of [0, 1_000, 3_000].entries()) {
      const [last] = told.see(look(passAt(scanned)), at * 20_000).slice(-1);
      if (at === 2 && last?.kind === 'progress') expect(last.progress.write.consumedPerSecond).to.equal(200);
    }
  });

  it('ends a pass with the figures that are read once it is over, and not before all its units are done', () => {
    const told = events();
    told.see(look(passAt(10)), 0);
    const after = look(undefined, 'applied');
    expect(told.over(look(passAt(20)))).to.equal(undefined);
    const over = told.over(after);
    expect(over?.counts.scanned).to.equal(10);
    const [done] = told.see(after, 3_000, passAt(40, { segmentsDone: 4 })).filter(({ kind }) => kind === 'step-done');
    expect(done).to.deep.include({ kind: 'step-done', elapsedMs: 3_000, counts: { ...noCounts, scanned: 40, changed: 40 } });
    const cut = events();
    cut.see(look(passAt(10)), 0);
    expect(kinds(cut.see(look(undefined, 'interrupted'), 1_000))).to.deep.equal(['migration-done']);
  });

  it('tells once what is waited for between two passes', () => {
    const told = events();
    const waits = (waiting: string) => told.see({ ...look(undefined), waiting, step: 'wait' }, 0).slice(-1);
    expect(kinds(told.see(look(undefined), 0))).to.deep.equal(['lock-taken', 'migration-started']);
    const message = { kind: 'message', migration: '0001-a', step: 'wait', message: 'GSI1 (40 % built)' };
    expect(waits('GSI1 (40 % built)')).to.deep.equal([message]);
    expect(waits('GSI1 (40 % built)')).to.deep.equal([]);
    expect(waits('GSI1 (50 % built)')).to.deep.equal([{ ...message, message: 'GSI1 (50 % built)' }]);
  });

  it('takes another generation, step or kind for another pass', () => {
    for (const other of [{ generation: 2 }, { step: 'more' }, { pass: 'verify' as const }]) {
      const told = events();
      told.see(look(passAt(10)), 0);
      const seen = told.see(look(passAt(1, other)), 1_000, passAt(10, { segmentsDone: 4 }));
      expect(kinds(seen)).to.deep.equal(['step-done', 'step-started', 'progress']);
    }
  });

  it('tells the end of a migration once, when no pass of it is under way', () => {
    const told = events();
    told.see(look(passAt(10)), 0);
    expect(kinds(told.see(look(passAt(10), 'verified'), 1_000))).to.deep.equal(['progress']);
    expect(kinds(told.see(look(undefined, 'verified'), 2_000))).to.deep.equal(['migration-done']);
    expect(kinds(told.see(look(undefined, 'verified'), 3_000))).to.deep.equal([]);
  });
});
