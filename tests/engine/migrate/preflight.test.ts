import { expect } from 'chai';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { confirmProduction } from '../../../engine/cli/confirm-production.ts';
import { tablesOfMigration } from '../../../engine/core/migrate/define-migration.ts';
import { type PreflightEnvironment, preflight } from '../../../engine/run/migrate/preflight.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, things, toyTables } from '../../support/toy-table.ts';

const nothing = new AbortController().signal;

describe('the preflight', () => {
  const engine = useEngine(toyTables);

  const environment = (
    change: Partial<PreflightEnvironment['config']> = {},
    pitr: boolean | undefined = true,
  ): PreflightEnvironment => ({
    config: { ...engine().config, ...change },
    tables: toyTables,
    data: { describeTable: dynamoStore(engine().client).describeTable, backups: async () => ({ pointInTimeRecovery: pitr }) },
  });
  const check = (target: PreflightEnvironment, account?: string, noPitrOk = false) =>
    preflight(target, tablesOfMigration(indexColours), { callerAccount: async () => account, noPitrOk }, nothing);

  it('passes where everything is as the catalogue says', () => check(environment()));

  it('refuses credentials of another account before it looks at anything', async () => {
    const error = await failureOf(check(environment({ account: '111111111111' }), '222222222222'));
    expect([error.code, error.exitCode]).to.deep.equal(['WRONG_ACCOUNT', 2]);
    expect(error.message).to.equal('the credentials are of account 222222222222; this stack lives in 111111111111');
    await check(environment({ account: '111111111111' }), '111111111111');
  });

  it('names every table and index that is missing or different, at once', async () => {
    const other = { ...things, name: 'toy-missing' };
    const wider = {
      ...things,
      indexes: [
        ...things.indexes,
        { name: 'by_size', hash: [{ name: 'size', type: 'N' as const }], range: [], projection: 'ALL' as const },
      ],
    };
    const migration = {
      ...indexColours,
      needs: {
        migrations: [],
        indexes: [
          { table: other, indexes: [] },
          { table: wider, indexes: [] },
        ],
      },
    };
    const error = await failureOf(
      preflight(environment(), tablesOfMigration(migration), { callerAccount: async () => undefined, noPitrOk: false }, nothing),
    );
    expect(error.code).to.equal('PREFLIGHT_FAILED');
    expect(error.problems).to.deep.equal([
      'toy-missing-test: table: expected ACTIVE, found missing',
      'toy-things-test: index by_size: expected size (N), found missing',
    ]);
    // Not everything is Pulumi's to mend: it leaves the last index of a table in place, and doctor says what drops it.
    expect(error.next).to.equal(
      "Bring it in line as 'tablewright doctor' says ('npx pulumi up' for most), or allow what may be: --no-pitr-ok.",
    );
  });

  it('wants point-in-time recovery in production, unless told that it may be off', async () => {
    const production = environment({ production: true }, false);
    const error = await failureOf(check(production));
    expect(error.problems).to.deep.equal(['toy-things-test: point-in-time recovery: expected on in production, found off']);
    await check(production, undefined, true);
    await check(environment({ production: true }, undefined));
    await check(environment({}, false));
  });

  it('a production stack is not touched without its name or --yes', async () => {
    const stack = { production: true, stack: 'prod' };
    await confirmProduction({ signal: nothing }, stack, true, '1 migration');
    await confirmProduction({ signal: nothing }, { ...stack, production: false }, false, '1 migration');
    const error = await failureOf(confirmProduction({ signal: nothing }, stack, false, '1 migration'));
    expect([error.code, error.exitCode]).to.deep.equal(['REFUSED_IN_PRODUCTION', 2]);
    expect(error.message).to.equal("1 migration: expected the stack's name as confirmation, and there is no terminal to ask on");
  });
});
