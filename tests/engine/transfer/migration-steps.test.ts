import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import type { OpenStack } from '../../../engine/cli/open-stack.ts';
import { stepTransfer } from '../../../engine/cli/transfer/step-transfer.ts';
import { custom, defineMigration, exportBefore, importInto } from '../../../engine/core/migrate/define-migration.ts';
import type { MigrateEvent } from '../../../engine/core/migrate/migrate-event.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { failureOf } from '../../support/failure-of.ts';
import { migrate, migrateEnvironment, rollback } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { contentOf, plainTable, useFolder } from '../../support/transfer-bed.ts';

const table = plainTable('stepped');
const copy = plainTable('stepped-copy');

describe('export and import as steps of a migration', () => {
  const engine = useEngine([table, copy, ledger]);
  const folder = useFolder();

  function environment(events: MigrateEvent[] = []) {
    const base = migrateEnvironment(engine(), { tables: [table, copy, ledger], events });
    const { endpoint, config, client } = engine();
    const stack = { name: 'local', config, endpoint, client, store: engine().environment.store } as unknown as OpenStack;
    const once = dynamoClient({ region: config.region, endpoint, maxAttempts: 1 });
    return { ...base, transfer: stepTransfer({ stack, root: folder(), client: once, gates: base.gates }) };
  }

  it('the table is exported as it was before the steps that follow, and the place is told', async () => {
    await engine().putRaw(table, [{ id: { S: 'a' } }, { id: { S: 'b' } }]);
    const before = await contentOf(engine(), table);
    const events: MigrateEvent[] = [];
    const risky = custom({
      name: 'risk',
      run: async ({ client, nameOf }) => {
        await client.delete({ TableName: nameOf(table), Key: { id: 'a' } });
      },
      verify: async () => 0,
    });
    const migration = defineMigration({ id: '0001-risky', description: 'risky', steps: [exportBefore(table, 'before'), risky] });
    const report = await migrate(environment(events), [migration]);
    expect(report.outcome, JSON.stringify(report.results)).to.equal('done');
    const [id = ''] = await readdir(join(folder(), 'before/AWSDynamoDB'));
    const told = events.flatMap((event) => (event.kind === 'message' ? [event.message] : []));
    expect(told).to.deep.equal([`exported 2 items: before/AWSDynamoDB/${id}`]);
    expect(await contentOf(engine(), table)).to.have.length(1);
    const restore = defineMigration({
      id: '0002-restore',
      description: 'back',
      steps: [importInto(copy, `before/AWSDynamoDB/${id}`)],
    });
    const restored = await migrate(environment(), [migration, restore]);
    expect(restored.outcome, JSON.stringify(restored.results)).to.equal('done');
    expect(await contentOf(engine(), copy)).to.deep.equal(before);
    const refused = await failureOf(rollback(environment(), [migration, restore]));
    expect(refused.problems).to.deep.equal([`0002-restore: step import before/AWSDynamoDB/${id} into stepped-copy has no undo`]);
  });

  it('an import of what is no export fails the migration before anything is written', async () => {
    const migration = defineMigration({ id: '0003-nothing', description: 'nothing', steps: [importInto(copy, 'nowhere')] });
    const before = await contentOf(engine(), copy);
    const report = await migrate(environment(), [migration], { accept: true });
    expect(report.outcome).to.equal('failed');
    expect(await contentOf(engine(), copy)).to.deep.equal(before);
  });
});
