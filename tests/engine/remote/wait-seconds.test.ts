import { expect } from 'chai';
import { waitSeconds } from '../../../engine/core/remote/wait-seconds.ts';

/** Asked, chosen, waited: each entered and left, and the function scheduled, started and answered. */
const eventsOfRound = 9;
/** Step Functions Developer Guide, "Service quotas": the 25,000th ends the execution. */
const mostEvents = 25_000;

/** So many times the machine asks before so long. */
function roundsIn(seconds: number): number {
  let rounds = 0;
  for (let ran = 0; ran < seconds; ran += waitSeconds(ran * 1_000)) rounds += 1;
  return rounds;
}

describe('the waits of the state machine', () => {
  it('are ten seconds at first, and a hundredth of what the execution has run later, five minutes at most', () => {
    const waits = [0, 60, 1_000, 3_600, 6 * 3_600, 24 * 3_600, 20 * 86_400].map((ran) => waitSeconds(ran * 1_000));
    expect(waits).to.deep.equal([10, 10, 10, 36, 216, 300, 300]);
  });

  it('leave an execution that does nothing else for a week below what its history takes', () => {
    expect(roundsIn(7 * 86_400) * eventsOfRound).to.be.below(mostEvents);
    expect(roundsIn(600), 'somebody looks on').to.equal(60);
  });
});
