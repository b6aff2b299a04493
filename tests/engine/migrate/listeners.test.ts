import { readFileSync } from 'node:fs';
import { PutItemCommand, UpdateItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { tableListeners } from '../../../engine/aws/migrate/table-listeners.ts';
import { renderListeners } from '../../../engine/cli/migrate/render-listeners.ts';
import { backfill, defineMigration, type PassStep, tablesOfMigration } from '../../../engine/core/migrate/define-migration.ts';
import { noListeners, type TableListeners } from '../../../engine/core/migrate/listeners.ts';
import { checkMigrationSet } from '../../../engine/core/migrate/migration-set.ts';
import { planRuns } from '../../../engine/run/migrate/plan.ts';
import { pausedTables, preflight } from '../../../engine/run/migrate/preflight.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { contentOf, migrate, migrateEnvironment, rollback, sourceOf } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, thing, things, toyTables } from '../../support/toy-table.ts';

const nothing = new AbortController().signal;
const stream = { arn: 'arn:aws:dynamodb:us-east-1:1:table/toy-things-test/stream/2026', view: 'NEW_AND_OLD_IMAGES' };
const trigger = { uuid: 'u-1', functionName: 'projector', source: stream.arn, state: 'Enabled', batchSize: 10 };
const off = { ...trigger, uuid: 'u-2', functionName: 'audit', state: 'Disabled' };
const heard: TableListeners = { ...noListeners, stream, triggers: [trigger, off], replicas: ['eu-west-1'] };

const colours = indexColours.steps[0] as Extract<PassStep, { kind: 'backfill' }>;
const marked = (id: string, more: Partial<PassStep> = {}) =>
  defineMigration({ ...indexColours, id, steps: [backfill({ ...colours, mark: 'migrated_by', ...(more as object) })] });

describe('who hears of a backfill', () => {
  const engine = useEngine(toyTables);
  const environment = (listeners?: TableListeners) =>
    migrateEnvironment(engine(), {
      tables: toyTables,
      overrides: listeners === undefined ? {} : { listeners: async () => listeners },
    });

  it('is in the plan, with the number of events that each gets', async () => {
    await resetToys(engine(), someThings(45));
    const runs = [{ source: sourceOf(marked('0001-index-colours', { consumers: 'paused' })), kind: 'fresh' as const }];
    const [plan] = await planRuns(
      environment({ ...heard, unseen: ['its Kinesis streams cannot be seen (X: y)'] }),
      runs,
      undefined,
      nothing,
    );
    const [step] = plan?.steps ?? [];
    if (step === undefined) throw new Error('no step');
    expect(renderListeners(step)).to.deep.equal([
      'stream NEW_AND_OLD_IMAGES: 45 events, to projector (some 5 calls), to audit (off)',
      'replicas in eu-west-1: 45 writes each, paid for there',
      '? its Kinesis streams cannot be seen (X: y)',
      'its writes are marked by migrated_by',
      'its consumers have to be paused: projector is on',
    ]);
    expect(step.differences[0]?.change).to.have.nested.property('set.migrated_by.S', '0001-index-colours#1');
    const keysOnly = { ...step, listeners: { ...heard, stream: { ...stream, view: 'KEYS_ONLY' } }, etaSeconds: 100_000 };
    expect(renderListeners(keysOnly).filter((line) => line.startsWith('!'))).to.have.lengthOf(2);
  });

  it('has to be paused where a step says so: what is on is named with the command that turns it off', async () => {
    const migration = marked('0001-index-colours', { consumers: 'paused' });
    const check = (listeners: TableListeners) =>
      preflight(
        environment(listeners),
        tablesOfMigration(migration),
        { callerAccount: async () => undefined, paused: pausedTables(migration), noPitrOk: false },
        nothing,
      );
    const error = await failureOf(check(heard));
    expect(error.code).to.equal('PREFLIGHT_FAILED');
    expect(error.problems).to.deep.equal([
      'toy-things-test: projector has to be paused, and is Enabled: aws lambda update-event-source-mapping --region us-east-1 --uuid u-1 --no-enabled',
    ]);
    expect((await failureOf(check({ ...heard, triggers: [], unseen: ['its triggers cannot be seen'] }))).problems).to.deep.equal([
      'toy-things-test: its consumers have to be paused, and its triggers cannot be seen',
    ]);
    await check({ ...heard, triggers: [off] });
  });

  it('is what the table says: a stream that is on, and nothing on a server without Lambda and Kinesis', async () => {
    const name = physicalName(things, engine().config);
    expect(await tableListeners(engine().client, undefined, name)).to.deep.equal(noListeners);
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
    await engine().client.send(new UpdateTableCommand({ TableName: name, StreamSpecification }));
    const found = await tableListeners(engine().client, undefined, name);
    expect(found.stream?.view).to.equal('NEW_AND_OLD_IMAGES');
    const denied = async () => {
      throw Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    };
    expect((await tableListeners(engine().client, denied, name)).unseen).to.deep.equal([
      'its triggers cannot be seen (AccessDeniedException: no)',
    ]);
  });

  /** The records of the table's stream since the last time, by the embedded engine. */
  async function records(): Promise<readonly { readonly OldImage?: object; readonly NewImage?: object }[]> {
    const call = async (operation: string, body: object) => {
      const day = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
      const credential = `local/${day.slice(0, 8)}/us-east-1/dynamodb/aws4_request`;
      const headers = {
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-date': day,
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=a`,
      };
      const answer = await fetch(engine().endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as Record<string, never>;
    };
    const arn = (await tableListeners(engine().client, undefined, physicalName(things, engine().config))).stream?.arn;
    const { StreamDescription } = (await call('DescribeStream', { StreamArn: arn })) as never as {
      StreamDescription: { Shards: { ShardId: string }[] };
    };
    const ShardId = StreamDescription.Shards[0]?.ShardId;
    const place = { StreamArn: arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    const { ShardIterator } = await call('GetShardIterator', place);
    const { Records } = (await call('GetRecords', { ShardIterator })) as never as { Records: { dynamodb: object }[] };
    return Records.map(({ dynamodb }) => dynamodb);
  }

  it('skips a migration’s marked writes and none of the application’s, by the rule of the documentation', async () => {
    const page = readFileSync(new URL('../../../docs/migrations.md', import.meta.url), 'utf8');
    const rule = /const isMigrationWrite = ([\s\S]+?);\n```/.exec(page)?.[1] ?? '';
    const isMigrationWrite = new Function(`return ${rule}`)() as (record: object) => boolean;
    await resetToys(engine(), someThings(8));
    const initial = await contentOf(engine(), things);
    const TableName = physicalName(things, engine().config);
    let seen = (await records()).length;
    const sinceLast = async () => {
      const all = await records();
      const fresh = all.slice(seen);
      seen = all.length;
      return fresh.map(isMigrationWrite);
    };
    const first = marked('0001-index-colours');
    expect((await migrate(environment(), [first])).results[0]?.counts).to.include({ changed: 8 });
    expect(await sinceLast()).to.deep.equal(Array(8).fill(true));
    // The application updates an item, which keeps its mark, and puts another whole, which drops it.
    const id = (number: number) => ({ id: { S: `thing-000${number}` } });
    const update = { UpdateExpression: 'SET weight = :w', ExpressionAttributeValues: { ':w': { N: '1' } } };
    await engine().client.send(new UpdateItemCommand({ TableName, Key: id(0), ...update }));
    await engine().client.send(new PutItemCommand({ TableName, Item: { ...id(1), colour: { S: 'green' } } }));
    expect(await sinceLast()).to.deep.equal([false, false]);
    // What was put in the old form is left over: the next generation takes it in, and marks it anew.
    expect(
      (await migrate(environment(), [{ ...first, id: '0002-index-again' }], { accept: true })).results[0]?.counts,
    ).to.include({
      changed: 1,
      right: 7,
    });
    expect(await sinceLast()).to.deep.equal([true]);
    // A rollback gives back what there was, marks included; what the application wrote since stays.
    await rollback(environment(), [{ ...first, id: '0002-index-again' }]);
    await rollback(environment(), [first]);
    const after = await contentOf(engine(), things);
    const untouched = Object.keys(initial).filter((key) => !/thing-000[01]/.test(key));
    for (const key of untouched) expect(after[key]).to.deep.equal(initial[key]);
    expect(JSON.stringify(after)).not.to.contain('migrated_by');
  });

  it('cannot be told by a mark that is a key, or that the step reads or writes', () => {
    const taken = defineMigration({
      id: '0001-index-colours',
      description: 'd',
      steps: [
        backfill({ ...colours, mark: 'colour-key' }),
        backfill({ name: 'r', table: things, entities: [thing], reads: ['a'], mark: 'a', change: () => undefined }),
      ],
    });
    let problems: readonly string[] = [];
    try {
      checkMigrationSet([sourceOf(taken)], [things]);
    } catch (error) {
      problems = (error as { problems: readonly string[] }).problems;
    }
    expect(problems).to.deep.equal([
      '0001-index-colours.ts: step colour keys: mark: expected an attribute of its own, found colour-key, which is a key and among its writes',
      '0001-index-colours.ts: step r: mark: expected an attribute of its own, found a, which is among its reads',
    ]);
  });
});
