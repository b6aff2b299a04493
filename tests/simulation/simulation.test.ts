import { randomBytes } from 'node:crypto';
import { gzip } from 'node:zlib';
import { expect } from 'chai';
import { forbidGlobals } from './forbid-globals.ts';
import { plants } from './plants.ts';
import { findPlant, type Played, playSeeds } from './workers.ts';

/** What CI plays; `npm run simulate -- --seeds N` plays as many as one likes. */
const seeds = 300;
const maxSeedsOfPlant = 500;
/** Seeds beyond those that found something: a rollback and a retry by workers whose time was up, a killed rollback, a lost lock or step, a damaged lock or claim, a step that fails in an execution. */
const former = [1268, 1749, 2747, 3941, 4157, 20_776, 21_424, 22_647];

/** What has to happen somewhere in so many seeds: a simulation in which it does not proves nothing about it. */
const befalls = [
  'crash',
  'freeze',
  'interrupt',
  'refused',
  'lost',
  'doubled',
  'partly',
  'conflict',
  'application deletes',
  'application creates',
  'application writes in the old form',
  'application writes in the new form',
  'application replaces in the old form',
  'ledger record lost',
  'ledger record damaged',
  'migrate',
  'verify',
  'rollback',
  'retry',
  'repair',
  'pause',
  'stop',
  'unlock',
  'event lock-taken',
  'event dead-letter',
  'event leftovers',
  'ended LOCKED',
  'ended LOCK_LOST',
  'ended LEDGER_DAMAGED',
  'execution migrate',
  'execution verify',
  'execution rollback',
  'execution retry',
  'invocation doubled',
  'invocation killed',
  'answer lost',
  'invocation lost sight of',
  'unit of an earlier execution',
  'other code refused',
  'execution stopped',
];

describe('the simulation', function () {
  this.timeout(600_000);

  it(`finds nothing wrong in ${seeds} seeds, and sees the same in two processes`, async () => {
    const played: Played[] = [];
    await playSeeds({ from: 1, count: seeds, jobs: 2, onPlayed: (result) => played.push(result) });
    expect(played).to.have.length(seeds);
    const wrong = played.filter(({ violations, isRepeatable }) => violations.length > 0 || !isRepeatable);
    expect(wrong.map(({ seed, violations, isRepeatable }) => ({ seed, violations, isRepeatable }))).to.deep.equal([]);
    const seen = new Set(played.flatMap(({ tally }) => Object.keys(tally)));
    expect(befalls.filter((what) => !seen.has(what))).to.deep.equal([]);
    expect(new Set(played.map(({ digest }) => digest)).size).to.equal(seeds);
  });

  it('finds nothing any more in seeds that once did', async () => {
    const played: Played[] = [];
    for (const from of former) await playSeeds({ from, count: 1, jobs: 2, onPlayed: (result) => played.push(result) });
    expect(played.map(({ seed, violations, isRepeatable }) => ({ seed, violations, isRepeatable }))).to.deep.equal(
      former.map((seed) => ({ seed, violations: [], isRepeatable: true })),
    );
  });

  for (const { name, what } of plants) {
    it(`finds it within ${maxSeedsOfPlant} seeds when ${what}`, async () => {
      const found = await findPlant(name, 1, maxSeedsOfPlant);
      expect(found?.violations ?? []).not.to.deep.equal([]);
    });
  }

  it('replays a failing seed exactly', async () => {
    const [first, second] = await Promise.all([findPlant('drop-a-guard', 1, 500), findPlant('drop-a-guard', 1, 500)]);
    expect(first?.violations).to.have.length.above(0);
    expect(second).to.deep.equal(first);
  });

  it('forbids time, timers, chance and work in the background, tells of it, and gives them back', () => {
    const told: string[] = [];
    const reach: readonly (() => unknown)[] = [
      () => Date.now(),
      () => new Date(),
      () => performance.now(),
      () => setTimeout(() => undefined, 1),
      () => setInterval(() => undefined, 1),
      () => setImmediate(() => undefined),
      () => Math.random(),
      () => crypto.randomUUID(),
      () => crypto.subtle.digest('SHA-256', new Uint8Array()),
      () => AbortSignal.timeout(1),
      () => randomBytes(8),
      () => gzip('text', () => undefined),
    ];
    const restore = forbidGlobals((name) => told.push(name));
    const thrown = reach.map((call) => {
      try {
        call();
        return 'passed';
      } catch (error) {
        return (error as Error).message;
      }
    });
    const moment = new Date(1_800_000_000_000).toISOString();
    restore();
    expect(thrown.filter((message) => !message.includes('effects go through ports'))).to.deep.equal([]);
    expect(told).to.have.length(reach.length);
    expect(moment).to.equal('2027-01-15T08:00:00.000Z');
    expect(Date.now()).to.be.above(0);
    expect(Math.random()).to.be.within(0, 1);
  });
});
