import { expect } from 'chai';
import fc from 'fast-check';
import { windowShare } from '../../../engine/core/capacity/capacity-limiter.ts';
import { CapacityGate } from '../../../engine/run/capacity/capacity-gate.ts';
import { busiestSecond, type Effect } from '../../support/busiest-second.ts';
import { FakeClock } from '../../support/fake-clock.ts';

interface Load {
  /** Units per second. */
  readonly budget: number;
  /** What an ordinary request costs, and how many wait in turn. */
  readonly ordinary: number;
  readonly waiting: number;
  /** What an urgent one costs, and how often one comes. */
  readonly urgent: number;
  readonly everyMs: number;
}

const latencyMs = 10;

/** Sends until all ordinary requests are through, with urgent ones coming all the time; how long each kind waited at most. */
async function contend({ budget, ordinary, waiting, urgent, everyMs }: Load) {
  const clock = new FakeClock();
  const gate = new CapacityGate(budget, clock);
  const waited = { ordinary: 0, urgent: 0 };
  const effects: Effect[] = [];
  const state = { through: 0 };
  const send = async (kind: 'ordinary' | 'urgent', units: number): Promise<void> => {
    const from = clock.steadyMs();
    const reservation = await gate.enter(units, undefined, { measured: true, urgent: kind === 'urgent' });
    waited[kind] = Math.max(waited[kind], clock.steadyMs() - from);
    effects.push({ atMs: clock.steadyMs(), units });
    await clock.sleep(latencyMs);
    if (reservation !== undefined) gate.leave(reservation, { kind: 'answered', consumed: units, refused: 0 });
  };
  const beat = async (): Promise<void> => {
    const beats: Promise<void>[] = [];
    for (let at = 0; state.through < waiting && at < maxBeats; at += 1) {
      beats.push(send('urgent', urgent));
      await clock.sleep(everyMs);
    }
    await Promise.all(beats);
  };
  const work = async (): Promise<void> => {
    for (; state.through < waiting; state.through += 1) await send('ordinary', ordinary);
  };
  await clock.drive(Promise.all([beat(), Promise.race([work(), clock.sleep(maxBeats * everyMs)])]));
  return { waited, effects, through: state.through, elapsedMs: clock.steadyMs() };
}

const maxBeats = 2_000;

/** Urgent requests alone take at most this part of the budget. */
const loads = (maxUrgent: number): fc.Arbitrary<Load> =>
  fc
    .record({
      budget: fc.integer({ min: 5, max: 500 }),
      share: fc.double({ min: 0.02, max: 2, noNaN: true }),
      waiting: fc.integer({ min: 1, max: 8 }),
      urgentShare: fc.double({ min: 0.02, max: 1, noNaN: true }),
      everyMs: fc.integer({ min: 100, max: 1_500 }),
    })
    .map(({ budget, share, waiting, urgentShare, everyMs }) => ({
      ...{ budget, waiting, everyMs, ordinary: share * budget },
      urgent: Math.min(urgentShare, (maxUrgent * everyMs) / 1_000) * budget,
    }));

describe('the gate that requests wait at', () => {
  it('lets a request through that needs the whole second, also while something urgent uses units in every second', async () => {
    const { waited, through } = await contend({ budget: 10, ordinary: 9, waiting: 5, urgent: 2, everyMs: 400 });
    expect(through).to.equal(5);
    expect(waited.ordinary).to.be.below(5_000);
  });

  it('lets every request through in time, whatever urgent ones ask for, and holds the budget of every second', () =>
    fc.assert(
      fc.asyncProperty(loads(0.9), async (load) => {
        const { waited, effects, through } = await contend(load);
        expect(through).to.equal(load.waiting);
        // Its own debt, that of urgent ones, and the patience of the gate with the emptying of a second on top.
        expect(waited.ordinary).to.be.below(1_000 * (load.ordinary / load.budget + 2) + 4_500);
        const most = Math.max(windowShare * load.budget, load.ordinary, load.urgent);
        expect(busiestSecond(effects)).to.be.at.most(most * 1.0001);
      }),
      { numRuns: 25 },
    ));

  it('keeps urgent ones, where they do not wait for each other, no longer than the window takes to empty twice', () =>
    fc.assert(
      fc.asyncProperty(loads(0.2), async (load) => {
        const { waited } = await contend(load);
        expect(waited.urgent).to.be.below(2_500);
      }),
      { numRuns: 25 },
    ));

  it('paces requests as before where nothing urgent passes them', async () => {
    const { elapsedMs } = await contend({ budget: 10, ordinary: 20, waiting: 10, urgent: 0, everyMs: 60_000 });
    // Each costs two seconds; the last one's debt is nobody's.
    expect(elapsedMs).to.be.within(17_000, 60_100);
  });
});
