import { expect } from 'chai';
import fc from 'fast-check';
import { ConnectionChoice, firstHold, type Passage, type Way } from '../../../engine/core/store/connection-choice.ts';

interface Server {
  /** Milliseconds between two answers while requests wait, by the way they come. */
  readonly one: number;
  readonly many: number;
}

/** A client that always has some requests under way, in time of its own. */
class Client {
  readonly choice = new ConnectionChoice();
  readonly #underWay: Passage[] = [];
  readonly #atOnce: number;
  nowMs = 0;

  constructor(atOnce = 8) {
    this.#atOnce = atOnce;
  }

  /** So many answers; gives the ways that requests went. */
  run(answers: number, server: Server, fails: (at: number) => boolean = () => false): readonly Way[] {
    const ways: Way[] = [];
    for (let at = 0; at < answers; at += 1) {
      while (this.#underWay.length < this.#atOnce) this.#underWay.push(this.choice.begin());
      const passage = this.#underWay.shift() as Passage;
      this.nowMs += server[passage.way];
      ways.push(passage.way);
      this.choice.end(passage, fails(at) ? undefined : 8_000, this.nowMs);
    }
    return ways;
  }
}

const share = (ways: readonly Way[], way: Way): number => ways.filter((one) => one === way).length / ways.length;
const longEnough = firstHold;

describe('connections to a server that is not AWS', () => {
  it('are all used where that is faster, or as fast, and one where that is; found out within some fifty answers', () => {
    const rates = fc.record({
      one: fc.double({ min: 0.2, max: 20, noNaN: true }),
      many: fc.double({ min: 0.2, max: 20, noNaN: true }),
    });
    fc.assert(
      fc.property(rates, (server) => {
        const client = new Client();
        client.run(60, server);
        const isLone = server.many > server.one * 1.06;
        const isMany = server.many < server.one * 1.04;
        const ways = client.run(longEnough - 100, server);
        if (isLone) expect(share(ways, 'one')).to.equal(1);
        if (isMany) expect(share(ways, 'many')).to.equal(1);
      }),
    );
  });

  it('are looked at again, so that a server that becomes another is found out', () => {
    const client = new Client();
    client.run(longEnough, { one: 1, many: 2 });
    expect(share(client.run(100, { one: 1, many: 2 }), 'one')).to.be.above(0.6);
    client.run(2 * longEnough + 200, { one: 2, many: 1 });
    expect(share(client.run(500, { one: 2, many: 1 }), 'many')).to.equal(1);
  });

  it('cost a run little to find out: below one per cent of its time once it is long', () => {
    const client = new Client();
    client.run(100_000, { one: 1, many: 2 });
    expect(client.nowMs).to.be.below(101_000);
  });

  it('are not judged by a source that is slow: with one request at a time the first way stays', () => {
    const client = new Client(1);
    expect(share(client.run(500, { one: 5, many: 1 }), 'one')).to.equal(1);
  });

  it('are not judged by answers that failed', () => {
    const client = new Client();
    client.run(400, { one: 1, many: 5 }, (at) => at % 10 === 0);
    expect(share(client.run(1_000, { one: 1, many: 5 }), 'one')).to.be.above(0.9);
  });
});
