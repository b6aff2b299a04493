import { expect } from 'chai';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { CliWorker } from '../support/cli-worker.ts';
import { wholeCatalogue } from '../support/project.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

/** A slip in a name of each kind, and what was meant. */
const slips: readonly (readonly [words: readonly string[], meant: string])[] = [
  [['tables', 'oders'], 'orders'],
  [['tables', 'orders-dve'], 'orders-dev'],
  [['migration', 'new', 'fill-colours', '--table', 'marketOrdrs'], 'marketOrders'],
  [['export', 'oms_confg', '--to', 'nowhere'], 'oms_config'],
  [['check', 'index', 'orders', 'orders_by_ownr'], 'orders_by_owner'],
  [['seed', 'marktes'], 'markets'],
  [['seed', '--system', 'backtst'], 'backtest'],
  [['history', '0003-index-oms-tradng'], '0003-index-oms-trading'],
  [['plan', '--to', 'index-markets'], '0005-index-markets'],
  [['rollback', '--to', '0001-index-omsconfig'], '0001-index-oms-config'],
  [['query', 'oms.trading.orderByid2'], 'oms.trading.orderById'],
  [['patterns', 'markts'], 'markets'],
  [['status', '--stack', 'stagin'], 'staging'],
  [['export', 'oms_config', '--to', 'x', '--entity', 'CLINT'], 'CLIENT'],
];

const ledgered: ReadonlySet<string> = new Set(['history', 'rollback']);

describe('a name with a slip in it', () => {
  const worker = new CliWorker();
  let engine: TestEngine | undefined;
  before(async () => {
    // Names of migrations are looked for in a ledger too; the local stack has those of dev.
    engine = await startEngine([ledger], parseStackConfig('dev', {}, wholeCatalogue));
  });
  after(async () => {
    worker.close();
    await engine?.close();
  });

  for (const [words, meant] of slips) {
    it(`${words.join(' ')}: did you mean ${meant}?`, async () => {
      const server = ledgered.has(words[0] ?? '') ? ['--endpoint', engine?.endpoint ?? ''] : [];
      const { code, stderr } = await worker.run([...words, ...server]);
      expect(stderr.trim().split('\n').at(-1)).to.match(new RegExp(`^→ Did you mean ${meant.replaceAll('.', '\\.')}\\?`));
      expect(code).to.equal(2);
    });
  }

  it('is told as JSON with --json', async () => {
    const { stderr, code } = await worker.run(['tables', 'oders', '--json']);
    expect(JSON.parse(stderr)).to.include({ version: 1, error: 'UNKNOWN_NAME', message: 'there is no table oders' });
    expect(code).to.equal(2);
  });
});
