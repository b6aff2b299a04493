import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { expect } from 'chai';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { documentClients } from '../../../engine/aws/migrate/document-clients.ts';
import { sleep } from '../../../engine/cli/read-environment.ts';
import type { UseOutcome } from '../../../engine/core/capacity/capacity-limiter.ts';
import { requestShares } from '../../../engine/core/capacity/request-units.ts';
import { CapacityGate } from '../../../engine/run/capacity/capacity-gate.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { type Faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { useEngine } from '../../support/test-engine.ts';
import { things } from '../../support/toy-table.ts';

/** What went through a gate. */
interface Passed {
  readonly kind: 'read' | 'write';
  readonly table: string;
  readonly outcome: UseOutcome;
}

describe('the document client of custom steps', () => {
  const engine = useEngine([things]);
  const name = () => physicalName(things, engine().config);
  const retry = { maxAttempts: 12, baseDelayMs: 1, maxDelayMs: 5 };

  async function withClient(
    work: (client: DynamoDBDocument, passed: readonly Passed[]) => Promise<void>,
    { endpoint = engine().endpoint, signal = new AbortController().signal, rate = Number.POSITIVE_INFINITY } = {},
  ): Promise<void> {
    const passed: Passed[] = [];
    const known = new Map<string, CapacityGate>();
    const gatesOf = (kind: 'read' | 'write') => ({
      of: (table: string) => {
        const gate = known.get(`${kind} ${table}`) ?? new CapacityGate(rate);
        known.set(`${kind} ${table}`, gate);
        return {
          enter: (estimate: number, stop?: AbortSignal) => gate.enter(estimate, stop),
          leave: (...[reservation, outcome]: Parameters<CapacityGate['leave']>) => {
            passed.push({ kind, table, outcome });
            gate.leave(reservation, outcome);
          },
        };
      },
    });
    const clients = documentClients(() => dynamoClient({ region: engine().config.region, endpoint, maxAttempts: 1 }), {
      gates: { read: gatesOf('read'), write: gatesOf('write') },
      retry,
      sleep,
      random: Math.random,
    });
    try {
      await work(clients.open(signal), passed);
    } finally {
      clients.close();
    }
  }

  it('keeps every digit of a number, both ways', () =>
    withClient(async (client) => {
      const digits = '12345678901234567890123456789012345.678';
      await client.put({ TableName: name(), Item: { id: 'exact', price: NumberValue.from(digits), none: undefined } });
      const { Item } = await client.get({ TableName: name(), Key: { id: 'exact' } });
      expect(Item).to.deep.equal({ id: 'exact', price: NumberValue.from(digits) });
      await client.put({ TableName: name(), Item: { ...Item, id: 'copy' } });
      const { Item: copy } = await client.get({ TableName: name(), Key: { id: 'copy' } });
      expect(copy?.price).to.deep.equal(NumberValue.from(digits));
    }));

  it('passes the gate of each table with every call, and tells it what was consumed', () =>
    withClient(async (client, passed) => {
      const TableName = name();
      await client.put({ TableName, Item: { id: 'a' } });
      await client.update({
        TableName,
        Key: { id: 'a' },
        UpdateExpression: 'SET x = :x',
        ExpressionAttributeValues: { ':x': 1 },
      });
      await client.get({ TableName, Key: { id: 'a' }, ConsistentRead: true });
      await client.query({ TableName, KeyConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': 'a' } });
      await client.scan({ TableName, Limit: 1 });
      await client.batchGet({ RequestItems: { [TableName]: { Keys: [{ id: 'a' }] } } });
      await client.batchWrite({ RequestItems: { [TableName]: [{ PutRequest: { Item: { id: 'b' } } }] } });
      await client.transactWrite({ TransactItems: [{ Put: { TableName, Item: { id: 'c' } } }] });
      await client.executeStatement({ Statement: `SELECT * FROM "${TableName}" WHERE id=?`, Parameters: ['a'] });
      await client.delete({ TableName, Key: { id: 'a' } });
      expect(passed.map(({ kind }) => kind).join(' ')).to.equal('write write read read read read write write read write');
      expect(new Set(passed.map(({ table }) => table))).to.deep.equal(new Set([TableName]));
      for (const { outcome } of passed) expect(outcome).to.include({ kind: 'answered', refused: 0 });
      const consumed = passed.map(({ outcome }) => (outcome.kind === 'answered' ? outcome.consumed : undefined));
      expect(consumed.slice(0, 3)).to.deep.equal([1, 1, 1]);
    }));

  it('repeats what was throttled or lost, within the policy, and counts the refusals', async () => {
    const faults: Faults = { throttle: 0.4, cutBefore: 0.2, operations: ['PutItem', 'GetItem'] };
    const proxy = await openFaultProxy(engine().endpoint, faults);
    try {
      await withClient(
        async (client, passed) => {
          for (let at = 0; at < 30; at += 1) await client.put({ TableName: name(), Item: { id: `r${at}` } });
          for (let at = 0; at < 30; at += 1) {
            const { Item } = await client.get({ TableName: name(), Key: { id: `r${at}` } });
            expect(Item).to.deep.equal({ id: `r${at}` });
          }
          const refused = passed.filter(({ outcome }) => outcome.kind === 'answered' && outcome.refused > 0);
          expect(refused).to.have.length(proxy.made.get('throttle') ?? 0);
          expect(refused).not.to.have.length(0);
        },
        { endpoint: proxy.endpoint },
      );
    } finally {
      await proxy.close();
    }
  });

  it('throws the SDK’s own error where no repetition helps', () =>
    withClient(async (client, passed) => {
      await client.put({ TableName: name(), Item: { id: 'there' } });
      const again = client.put({
        TableName: name(),
        Item: { id: 'there' },
        ConditionExpression: 'attribute_not_exists(id)',
      });
      const error = await again.then(
        () => undefined,
        (thrown: unknown) => thrown as Error,
      );
      expect(error?.name).to.equal('ConditionalCheckFailedException');
      expect(passed.at(-1)?.outcome).to.deep.equal({ kind: 'unknown' });
    }));

  it('waits for the budget, and ends the wait with the signal', async () => {
    const stop = new AbortController();
    await withClient(
      async (client) => {
        await client.put({ TableName: name(), Item: { id: 'first' } });
        const many = Promise.all(
          Array.from({ length: 50 }, (_, at) => client.put({ TableName: name(), Item: { id: `w${at}` } })),
        ).then(
          () => 'done',
          (error: unknown) => (error as Error).name,
        );
        const timer = setTimeout(() => stop.abort(), 300);
        expect(await many).to.equal('AbortError');
        clearTimeout(timer);
      },
      { signal: stop.signal, rate: 5 },
    );
  });

  it('has an estimate for every operation that consumes capacity, and none for others', () => {
    const TableName = 't';
    const shares = (operation: string, input: Record<string, unknown>) => requestShares({ operation, input });
    expect(shares('PutItem', { TableName, Item: { id: 'a', text: 'x'.repeat(3_000) } })).to.deep.equal([
      { table: 't', kind: 'write', units: 3 },
    ]);
    expect(shares('Scan', { TableName })).to.deep.equal([{ table: 't', kind: 'read', units: 128 }]);
    expect(shares('Scan', { TableName, ConsistentRead: true, Limit: 80 })).to.deep.equal([
      { table: 't', kind: 'read', units: 20 },
    ]);
    expect(
      shares('BatchWriteItem', { RequestItems: { a: [{ DeleteRequest: { Key: {} } }], b: [{ PutRequest: { Item: {} } }] } }),
    ).to.deep.equal([
      { table: 'a', kind: 'write', units: 1 },
      { table: 'b', kind: 'write', units: 1 },
    ]);
    const TransactItems = [{ Put: { TableName, Item: {} } }, { ConditionCheck: { TableName, Key: {} } }];
    expect(shares('TransactWriteItems', { TransactItems })).to.deep.equal([{ table: 't', kind: 'write', units: 4 }]);
    expect(shares('ExecuteStatement', { Statement: 'UPDATE "my-table" SET a=1 WHERE id=?' })).to.deep.equal([
      { table: 'my-table', kind: 'write', units: 1 },
    ]);
    expect(shares('BatchExecuteStatement', { Statements: [{ Statement: 'SELECT * FROM t.i WHERE a=?' }] })).to.deep.equal([
      { table: 't', kind: 'read', units: 1 },
    ]);
    expect(shares('DescribeTable', { TableName })).to.deep.equal([]);
  });
});
