import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { marketOrder, marketOrders } from '../../../tables/markets/orders.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { repository } from '../../support/run-cli.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';
import { orderInput } from '../cutover/legacy-world.ts';

const run = promisify(execFile);

describe('the package’s entry', () => {
  const engine = useEngine([marketOrders, ledger]);

  it('serves a program that runs on plain Node', async () => {
    await engine().put(marketOrders, marketOrder, [orderInput(2)]);
    const place = { stack: testConfig.stack, region: testConfig.region, endpoint: engine().endpoint };
    const program = `import { openReader } from 'tablewright';
      const reader = openReader(${JSON.stringify(place)});
      for await (const { id, price } of reader.read('markets.orders.bestBids', { marketId: 'm2' })) console.log(id, price);
      await reader.close();`;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: repository });
    expect([stdout, stderr]).to.deep.equal(['o0002 0.24\n', '']);
  });
});
