import { expect } from 'chai';
import { repository } from '../support/run-cli.ts';
import { runMain } from '../support/run-main.ts';
import { openSkewedProxy, type SkewedProxy } from '../support/skewed-proxy.ts';
import { useEngine } from '../support/test-engine.ts';

/** Every kind of client that a command makes: of reads, of bulk writes, of statements, of exports. */
const calls: readonly (readonly string[])[] = [
  ['up'],
  ['query', 'oms.config.allProducts'],
  ['seed', 'oms', '--volume', '60'],
  ['rollback', '--to', '8'],
  ['migrate'],
  ['verify'],
  ['cutover', 'check', '--all'],
  ['doctor'],
];

describe('a server whose clock is not this machine’s', function () {
  this.timeout(180_000);
  const engine = useEngine([]);
  let proxy: SkewedProxy;
  before(async () => {
    proxy = await openSkewedProxy(engine().endpoint, -20);
  });
  after(() => proxy.close());

  it('is worked with by every command, which sets its clock by the first answer', async () => {
    for (const call of calls) {
      const before = proxy.refused();
      const { code, stderr } = await runMain(repository, [...call, '--endpoint', proxy.endpoint]);
      expect(code, `${call.join(' ')}: ${stderr}`).to.equal(0);
      expect(proxy.refused(), `${call.join(' ')}: it was not even refused once`).to.be.greaterThan(before);
    }
    expect(proxy.passed()).to.be.greaterThan(200);
  });
});
