import { expect } from 'chai';
import fc from 'fast-check';
import { noCounts, noUnits } from '../../../engine/core/migrate/counts.ts';
import { decideRuns, ledgerProblems } from '../../../engine/core/migrate/decide-runs.ts';
import { defineMigration, type Phase, waitForIndexes } from '../../../engine/core/migrate/define-migration.ts';
import { checkMigrationSet, type MigrationSource } from '../../../engine/core/migrate/migration-set.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { StateRecord } from '../../../tables/model/ledger/migration-records.ts';
import { sourceOf } from '../../support/migrate-engine.ts';
import { things } from '../../support/toy-table.ts';

const migration = (number: number, phase?: Phase, needs: readonly string[] = []): MigrationSource =>
  sourceOf(
    defineMigration({
      id: `${String(number).padStart(4, '0')}-do-something`,
      description: 'Something',
      ...(phase === undefined ? {} : { phase }),
      needs: { migrations: needs },
      steps: [waitForIndexes(things, 'by_colour')],
    }),
  );

const verified = ({ migration: { id }, checksum }: MigrationSource): StateRecord => ({
  id,
  description: '',
  state: 'verified',
  checksum,
  generation: 1,
  who: 'w',
  host: 'h',
  startedAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  token: 1,
  counts: noCounts,
  units: noUnits,
  dead: 0,
});

const runsOf = (sources: readonly MigrationSource[], ledger: readonly StateRecord[], phase?: Phase, accept = false) =>
  decideRuns(sources, ledger, { phase, accept }).runs.map(({ source }) => source);
const numbers = (sources: readonly MigrationSource[]) => sources.map(({ migration: { id } }) => Number(id.slice(0, 4)));

function failure(work: () => unknown): TablewrightError {
  try {
    work();
  } catch (error) {
    if (error instanceof TablewrightError) return error;
    throw error;
  }
  throw new Error('it should have failed');
}

describe('the phases of a release', () => {
  const set = [migration(1, 'before-deploy'), migration(2, 'after-deploy'), migration(3), migration(4, 'before-deploy')];
  const [one, two, three, four] = set as [MigrationSource, MigrationSource, MigrationSource, MigrationSource];

  it('run those that belong to them, in order; what says nothing belongs after', () => {
    expect(numbers(runsOf(set, [], 'before-deploy'))).to.deep.equal([1, 4]);
    expect(numbers(runsOf(set, [one, four].map(verified), 'after-deploy'))).to.deep.equal([2, 3]);
    expect(numbers(runsOf(set, []))).to.deep.equal([1, 2, 3, 4]);
  });

  it('let what belongs before overtake what belongs after: that is no gap', () => {
    expect(ledgerProblems(set, [one, four].map(verified))).to.deep.equal([]);
    expect(numbers(runsOf(set, [one, four].map(verified)))).to.deep.equal([2, 3]);
  });

  it('know a gap within a phase, and one of the other phase that should have been run before', () => {
    expect(ledgerProblems(set, [one, three].map(verified))).to.deep.equal([
      '0002-do-something: was never run, but 0003-do-something, which comes after it, is applied',
    ]);
    expect(ledgerProblems(set, [verified(two)])).to.deep.equal([
      '0001-do-something: was never run, but 0002-do-something, which comes after it, is applied',
    ]);
  });

  it('refuse to run after the deployment what comes after something that belonged before it', () => {
    const error = failure(() => runsOf(set, [], 'after-deploy'));
    expect([error.code, error.exitCode]).to.deep.equal(['BAD_ARGUMENT', 2]);
    expect(error.problems).to.deep.equal([
      '0002-do-something comes after 0001-do-something (before-deploy), which is not applied yet',
      '0003-do-something comes after 0001-do-something (before-deploy), which is not applied yet',
    ]);
    expect(error.next).to.match(/^Run 'tablewright migrate --phase before-deploy' first/);
    expect(numbers(runsOf(set, [], 'after-deploy', true)), '--accept takes the order as it is').to.deep.equal([2, 3]);
  });

  it('refuse what needs something of the other phase that is not applied yet', () => {
    const needing = [migration(1, 'after-deploy'), migration(2, 'before-deploy', ['0001-do-something'])];
    const [first] = needing as [MigrationSource];
    const error = failure(() => runsOf(needing, [], 'before-deploy'));
    expect(error.problems).to.deep.equal(['0002-do-something needs 0001-do-something (after-deploy), which is not applied yet']);
    expect(numbers(runsOf(needing, [verified(first)], 'before-deploy'))).to.deep.equal([2]);
  });

  it('a phase that there is not is a problem of its file', () => {
    const strange = migration(1, 'during-deploy' as Phase);
    expect(failure(() => checkMigrationSet([strange], [things])).problems).to.deep.equal([
      '0001-do-something.ts: phase: expected before-deploy or after-deploy, found during-deploy',
    ]);
  });

  it('two lines of a pipeline run everything, release after release, whatever belongs where', () => {
    const phase = fc.constantFrom<Phase | undefined>('before-deploy', 'after-deploy', undefined);
    const releases = fc.array(fc.array(phase, { maxLength: 5 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(releases, (phasesOf) => {
        const sources: MigrationSource[] = [];
        const ledger: StateRecord[] = [];
        for (const release of phasesOf) {
          for (const one of release) sources.push(migration(sources.length + 1, one));
          for (const line of ['before-deploy', 'after-deploy'] as const) {
            ledger.push(...runsOf(sources, ledger, line).map(verified));
            expect(ledgerProblems(sources, ledger)).to.deep.equal([]);
          }
          expect(ledger.length).to.equal(sources.length);
          expect(runsOf(sources, ledger)).to.deep.equal([]);
        }
      }),
    );
  });
});
