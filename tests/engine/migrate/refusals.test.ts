import { expect } from 'chai';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { migrationStore } from '../../../engine/aws/migrate/migration-store.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { throttlingReasons } from '../../../engine/aws/store/throttling-reasons.ts';
import { batchWriteStore } from '../../../engine/aws/write/batch-write-store.ts';
import { segmentsPart } from '../../../engine/core/capacity/partition-ceilings.ts';
import { slowText } from '../../../engine/core/capacity/slow-text.ts';
import type { MigrateEvent } from '../../../engine/core/migrate/migrate-event.ts';
import { reportPage } from '../../../engine/core/migrate/report-page.ts';
import { shownReason } from '../../../engine/core/store/throttling.ts';
import { CapacityGates, unlimitedGates } from '../../../engine/run/capacity/capacity-gate.ts';
import type { ThrottlingReason } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { failureOf } from '../../support/failure-of.ts';
import { type FaultProxy, type Faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { ledgerOf, migrate, migrateEnvironment } from '../../support/migrate-engine.ts';
import { useEngine } from '../../support/test-engine.ts';
import { indexColours, resetToys, someThings, things, toyTables } from '../../support/toy-table.ts';

const table = 'arn:aws:dynamodb:us-east-1:123456789012:table/toy-things-test';
const hotIndex = { reason: 'IndexWriteKeyRangeThroughputExceeded', resource: `${table}/index/by_colour` };
const shown = 'IndexWriteKeyRangeThroughputExceeded, index by_colour: one of its partitions takes no more';

describe('what DynamoDB gives as a reason for a refusal', () => {
  it('is read from its exceptions, however each of them spells it, and from the JSON of a refusal', () => {
    const reasons = [hotIndex];
    expect(throttlingReasons({ ThrottlingReasons: reasons })).to.deep.equal(reasons);
    expect(throttlingReasons({ throttlingReasons: reasons })).to.deep.equal(reasons);
    expect(throttlingReasons({ throttlingReasons: [{ reason: 'X' }, { resource: 'only' }, null, 'text'] })).to.deep.equal([
      { reason: 'X' },
    ]);
    for (const none of [undefined, null, 'text', new Error('plain'), { throttlingReasons: 'text' }]) {
      expect(throttlingReasons(none)).to.deep.equal([]);
    }
  });

  it('is told with table or index and what the limit means; what is not known is told as it came', () => {
    const cases: readonly (readonly [ThrottlingReason, string])[] = [
      [hotIndex, shown],
      [
        { reason: 'TableWriteProvisionedThroughputExceeded', resource: table },
        'TableWriteProvisionedThroughputExceeded, the table: its provisioned capacity is used up',
      ],
      [
        { reason: 'TableReadMaxOnDemandThroughputExceeded', resource: table },
        'TableReadMaxOnDemandThroughputExceeded, the table: its on-demand maximum is reached',
      ],
      [
        { reason: 'IndexWriteAccountLimitExceeded', resource: `${table}/index/i` },
        'IndexWriteAccountLimitExceeded, index i: the account’s limit for it is reached',
      ],
      [{ reason: 'IndexWriteSomethingNewExceeded', resource: `${table}/index/i` }, 'IndexWriteSomethingNewExceeded, index i'],
      [{ reason: 'ThrottlingError', text: 'Slow down.' }, 'ThrottlingError: Slow down.'],
    ];
    for (const [reason, text] of cases) expect(shownReason(reason)).to.equal(text);
  });

  it('is in the slow line', () => {
    const slow = { kind: 'refused', share: 0.12, unitsPerSecond: 340.4 } as const;
    expect(slowText({ ...slow, reasons: [hotIndex, hotIndex] })).to.equal(
      `slow: DynamoDB refused 12 % (${shown}), down to 340 units/s`,
    );
    expect(slowText(slow)).to.equal('slow: DynamoDB refused 12 %, down to 340 units/s');
    expect(slowText({ kind: 'partition', part: segmentsPart, share: 0.06, unitsPerSecond: 16_000 })).to.equal(
      'slow: each segment writes to one partition of the table at a time, and they take no more: 16,000 units/s for now',
    );
    expect(slowText({ kind: 'partition', part: 'GSI1', share: 0.683, unitsPerSecond: 1_464.1 })).to.equal(
      'slow: one key of GSI1 gets 68 % of all units, and its partition takes no more: 1,464 units/s for now',
    );
  });
});

describe('a refusal with reasons', () => {
  const engine = useEngine(toyTables);
  let proxy: FaultProxy;
  before(async () => {
    proxy = await openFaultProxy(engine().endpoint);
  });
  after(() => proxy?.close());
  const client = () => dynamoClient({ region: 'us-east-1', endpoint: proxy.endpoint, maxAttempts: 1 });
  const set = (faults: Faults) => proxy.set({ reasons: [hotIndex], ...faults });
  const TableName = () => physicalName(things, engine().config);

  it('keeps them as a failed read, and as a failed batch of the writer', async () => {
    set({ throttle: 1, operations: ['Scan', 'BatchWriteItem'] });
    const error = await failureOf(dynamoStore(client()).scan({ TableName: TableName() }));
    expect(error.repeatable?.reasons).to.deep.equal([hotIndex]);
    expect(error.message).to.equal(`toy-things-test: ${shown}`);
    const write = { name: TableName(), key: things.key, indexes: things.indexes };
    const outcome = await batchWriteStore(client()).send(write, [{ table: TableName(), put: { id: { S: 'a' } } }]);
    expect(outcome).to.deep.include({ kind: 'failed', cause: 'throttled', message: shown, reasons: [hotIndex] });
  });

  it('says no more than a code for a statement of a batch, and everything for one that goes alone', async () => {
    const store = migrationStore(client());
    const statement = {
      Statement: `UPDATE "${TableName()}" SET "a"=? WHERE "id"=?`,
      Parameters: [{ S: 'x' }, { S: 'thing-0000' }],
    };
    set({ unprocessed: 1, refusedAlone: 1 });
    const batch = await store.execute(TableName(), [statement, statement]);
    const text = 'Rate of requests exceeds the allowed throughput.';
    const again = { kind: 'again', cause: 'throttled', reasons: [{ reason: 'ThrottlingError', text }] };
    expect(batch.kind === 'answered' ? batch.answers : batch).to.deep.equal([again, again]);
    expect(await store.execute(TableName(), [statement])).to.deep.equal({
      kind: 'failed',
      cause: 'throttled',
      message: shown,
      reasons: [hotIndex],
    });
  });

  it('alone, a statement has the same fates as in a batch', async () => {
    await resetToys(engine(), someThings(1));
    set({});
    const store = migrationStore(client());
    const send = async (id: string, colour: string, clause = 'SET "a"=?') => {
      const Statement = `UPDATE "${TableName()}" ${clause} WHERE "id"=? AND "colour"=?`;
      const outcome = await store.execute(TableName(), [{ Statement, Parameters: [{ S: 'x' }, { S: id }, { S: colour }] }]);
      return outcome.kind === 'answered' ? outcome.answers.map(({ kind }) => kind) : outcome;
    };
    expect(await send('thing-0000', 'red')).to.deep.equal(['done']);
    expect(await send('thing-0000', 'blue')).to.deep.equal(['refused']);
    expect(await send('thing-0000', 'red', 'SETT "a"=?')).to.deep.equal(['invalid']);
  });

  it('is found out by sending one statement alone; dead letters, progress and report name index and cause', async () => {
    await resetToys(engine(), someThings(6));
    set({ unprocessed: 1, refusedAlone: 1 });
    const events: MigrateEvent[] = [];
    // What is refused altogether is hardly tried any more, so few tries.
    const tuning = { segments: 1, batchesInFlight: 1, retry: { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 1 } };
    const gates = { read: unlimitedGates(), write: new CapacityGates({ unitsPerSecond: 10_000 }) };
    const settings = { tables: toyTables, endpoint: proxy.endpoint, events, tuning, overrides: { gates } };
    const environment = migrateEnvironment(engine(), settings);
    const report = await migrate(environment, [indexColours]);
    expect(report.results[0]).to.include({ state: 'incomplete', dead: 6 });
    expect(proxy.made.get('refusedAlone')).to.be.greaterThan(0);
    const dead = await ledgerOf(environment).dead(indexColours.id);
    const reasons = [...new Set(dead.map(({ reason }) => reason.replace(/after \d+ tries/, 'after n tries')))];
    expect(reasons).to.deep.equal([`gave up after n tries: throttled (${shown})`]);
    const progress = events.flatMap((event) => (event.kind === 'progress' ? [event.progress] : []));
    const told = new Set(progress.flatMap(({ refusals }) => refusals.map(({ reason }) => reason)));
    expect([...told]).to.have.members(['ThrottlingError', hotIndex.reason]);
    const reader = ledgerOf(environment);
    const [state, timelines] = await Promise.all([reader.state(indexColours.id), reader.timelines(indexColours.id)]);
    if (state === undefined) throw new Error('no state');
    const page = reportPage({ stack: 'test', state, steps: [], segments: [], timelines, history: [], dead });
    expect(page).to.include('<h2>Refused by DynamoDB</h2>').and.to.include(`<td>${shown}</td><td><code>${hotIndex.resource}`);
  });

  it('that has none of them, of a server that knows none, holds nothing up', async () => {
    await resetToys(engine(), someThings(60));
    proxy.set({ unprocessed: 0.3, refusedAlone: 0.3 });
    const environment = migrateEnvironment(engine(), { tables: toyTables, endpoint: proxy.endpoint });
    const report = await migrate(environment, [indexColours]);
    expect(report.results[0]).to.include({ state: 'verified', dead: 0 });
    expect(proxy.made.get('unprocessed')).to.be.greaterThan(3);
  });
});
