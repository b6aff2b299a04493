import { expect } from 'chai';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import type { Service } from '../../../engine/local/shared-service.ts';
import { ensureTable } from '../../../engine/run/tables/ensure-tables.ts';
import { parseStackConfig } from '../../../tables/model/stack/stack-config.ts';
import { openTestDynamo } from '../../support/open-engine.ts';
import { tables as catalogue } from '../../support/project.ts';
import { repository, runCli } from '../../support/run-cli.ts';

describe('cut-over at the command line', () => {
  let service: Service;
  const cli = (...words: readonly string[]) => runCli(repository, ['cutover', ...words, '--endpoint', service.endpoint]);

  before(async () => {
    service = await openTestDynamo();
    const config = parseStackConfig('dev', {}, catalogue);
    const client = dynamoClient({ region: config.region, endpoint: service.endpoint });
    for (const table of catalogue) await ensureTable({ store: dynamoStore(client), config, sleep }, table);
    client.destroy();
  });
  after(() => service.release());

  it('shows the states, moves them, and says why one is refused', async () => {
    const refused = await cli('apply', 'markets.orders.byId', 'markets.orders.bestBids');
    expect(refused.code).to.equal(1);
    expect(refused.stdout).to.match(/markets\.orders\.byId +query +0 +0 /);
    expect(refused.stdout).to.contain('its backfill 0006-index-order-book is not run, expected verified');
    const shadow = await cli('shadow', 'markets.orders.byOwner', '--share', '25%');
    expect([shadow.code, shadow.stdout]).to.deep.equal([
      0,
      'markets.orders.byOwner: scan → shadow\nReaders follow within 5 s.\n',
    ]);
    const status = JSON.parse((await cli('status', '--json')).stdout) as {
      readonly patterns: readonly { readonly pattern: string; readonly state: string; readonly share: number }[];
    };
    const moved = status.patterns
      .filter(({ state }) => state !== 'scan')
      .map(({ pattern, state, share }) => [pattern, state, share]);
    expect(moved).to.deep.equal([
      ['markets.orders.byId', 'query', 0.1],
      ['markets.orders.byOwner', 'shadow', 0.25],
    ]);
  });

  it('takes patterns or --all, never both or neither', async () => {
    const neither = await cli('check');
    expect([neither.code, neither.stderr]).to.deep.equal([
      2,
      "BAD_ARGUMENT: no pattern was named\n→ Name one or more, or give --all; 'tablewright cutover status' lists them.\n",
    ]);
    const never = await cli('revert', 'oms.trading.orderById');
    expect(never.code).to.equal(2);
    expect(never.stderr).to.contain('UNKNOWN_NAME: oms.trading.orderById was never read otherwise');
  });
});
