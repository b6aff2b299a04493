import {
  BatchExecuteStatementCommand,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { type Probe, type ProbeBed, verdict } from './probe.ts';

async function put({ client, table }: ProbeBed, id: string, more: Record<string, { S: string } | { N: string }> = {}) {
  await client.send(new PutItemCommand({ TableName: table, Item: { id: { S: id }, ...more } }));
}

const run = ({ client }: ProbeBed, Statement: string, ...Parameters: readonly string[]) =>
  client.send(new ExecuteStatementCommand({ Statement, Parameters: Parameters.map((S) => ({ S })) }));

async function batch({ client }: ProbeBed, ...statements: readonly [string, ...string[]][]) {
  const Statements = statements.map(([Statement, ...values]) => ({
    Statement,
    ...(values.length === 0 ? {} : { Parameters: values.map((S) => ({ S })) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }));
  return client.send(new BatchExecuteStatementCommand({ Statements, ReturnConsumedCapacity: 'TOTAL' }));
}

const codes = async (answer: ReturnType<typeof batch>): Promise<string> =>
  answer.then(
    ({ Responses = [] }) => Responses.map(({ Error: error }) => error?.Code ?? 'done').join(', '),
    (error: Error) => `the batch: ${error.name}`,
  );

/** An UPDATE of an item that is there, with these changes. */
const updateWith =
  (changes: string, ...values: readonly string[]): Probe['ask'] =>
  async (bed) => {
    await put(bed, 'update', { a: { S: 'a' }, b: { S: 'b' } });
    return verdict(run(bed, `UPDATE "${bed.table}" ${changes} WHERE "id"=?`, ...values, 'update'));
  };

export const statementProbes: readonly Probe[] = [
  {
    name: 'PartiQL: SET for each attribute',
    ask: updateWith('SET "c"=? SET "d"=?', '1', '2'),
    toolkit:
      'sends this form, which is AWS’s grammar; its adapter for the embedded engine rewrites it (`engine/local/dynoxide-dialect.ts`)',
  },
  { name: 'PartiQL: one SET with commas', ask: updateWith('SET "c"=?, "d"=?', '1', '2') },
  {
    name: 'PartiQL: REMOVE for each attribute',
    ask: updateWith('REMOVE "a" REMOVE "b"'),
    toolkit: 'sends this form; the same adapter rewrites it',
  },
  {
    name: 'PartiQL: one REMOVE with commas',
    ask: updateWith('REMOVE "a", "b"'),
    toolkit: 'never sends it to a server that does not say that it is the embedded engine',
  },
  {
    name: 'PartiQL: UPDATE of an item that is not there',
    ask: (bed) => verdict(run(bed, `UPDATE "${bed.table}" SET "a"=? WHERE "id"=?`, '1', 'nowhere')),
  },
  {
    name: 'PartiQL: INSERT of an item that is there',
    ask: async (bed) => {
      await put(bed, 'insert');
      return verdict(run(bed, `INSERT INTO "${bed.table}" VALUE {'id': ?}`, 'insert'));
    },
    toolkit: 'sends no INSERT',
  },
  {
    name: 'PartiQL: IS MISSING as a guard',
    ask: async (bed) => {
      await put(bed, 'guard', { a: { S: 'a' } });
      const update = `UPDATE "${bed.table}" SET "c"=? WHERE "id"=? AND`;
      return codes(batch(bed, [`${update} "a" IS MISSING`, '1', 'guard']));
    },
  },
  {
    name: 'PartiQL: codes within a batch',
    ask: async (bed) => {
      await put(bed, 'one');
      await put(bed, 'two');
      const update = `UPDATE "${bed.table}" SET "a"=? WHERE "id"=?`;
      return codes(batch(bed, [update, '1', 'one'], [update, '1', 'nowhere'], [`${update} AND "a"=?`, '1', 'two', '2']));
    },
  },
  {
    name: 'PartiQL: the item of a failed statement (ALL_OLD)',
    ask: async (bed) => {
      await put(bed, 'all-old', { a: { S: 'a' } });
      const { Responses = [] } = await batch(bed, [
        `UPDATE "${bed.table}" SET "a"=? WHERE "id"=? AND "a"=?`,
        'x',
        'all-old',
        'other',
      ]);
      return Responses[0]?.Error?.Item === undefined ? 'not sent' : 'sent';
    },
    toolkit: 'takes it where it comes and reads the item where it does not (`run/migrate/backfill/present-item.ts`)',
  },
  {
    name: 'PartiQL: one statement of a batch that cannot be read',
    ask: async (bed) => {
      await put(bed, 'one');
      return codes(batch(bed, [`UPDATE "${bed.table}" SET "a"=? WHERE "id"=?`, '1', 'one'], ['UPDATE nonsense']));
    },
    toolkit: 'takes both: a batch that is refused as a whole goes again, one statement at a time',
  },
  {
    name: 'PartiQL: a table that is not there',
    ask: (bed) => codes(batch(bed, ['UPDATE "conformance-nowhere" SET "a"=? WHERE "id"=?', '1', '2'])),
  },
  { name: 'PartiQL: an empty batch', ask: (bed) => codes(batch(bed)) },
  {
    name: 'PartiQL: consumed capacity of a batch',
    ask: async (bed) => {
      await put(bed, 'one');
      await put(bed, 'two');
      const update = `UPDATE "${bed.table}" SET "a"=? WHERE "id"=?`;
      const { ConsumedCapacity = [] } = await batch(bed, [update, '1', 'one'], [update, '1', 'two']);
      return `${ConsumedCapacity.length} ${ConsumedCapacity.length === 1 ? 'entry' : 'entries'}, ${ConsumedCapacity.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)} units`;
    },
    toolkit: 'adds up whatever entries come, and takes its own estimate where none does',
  },
  {
    name: 'PartiQL: a transaction',
    ask: async (bed) => {
      await put(bed, 'one');
      const TransactStatements = [
        { Statement: `UPDATE "${bed.table}" SET "a"=? WHERE "id"=?`, Parameters: [{ S: '1' }, { S: 'one' }] },
      ];
      return verdict(bed.client.send(new ExecuteTransactionCommand({ TransactStatements })));
    },
  },
  {
    name: 'transaction: reasons when one condition fails',
    ask: async (bed) => {
      await put(bed, 'there');
      const absent = 'attribute_not_exists(id)';
      const TransactItems = ['fresh', 'there'].map((S) => ({
        Put: { TableName: bed.table, Item: { id: { S } }, ConditionExpression: absent },
      }));
      try {
        await bed.client.send(new TransactWriteItemsCommand({ TransactItems }));
      } catch (error) {
        if (error instanceof TransactionCanceledException)
          return (error.CancellationReasons ?? []).map(({ Code }) => Code).join(', ');
      }
      return 'taken';
    },
  },
  {
    name: 'transaction: nothing of a cancelled one is written',
    ask: async (bed) => {
      await put(bed, 'there');
      const Item = (S: string) => ({ TableName: bed.table, Item: { id: { S } } });
      const TransactItems = [
        { Put: Item('never') },
        { Put: { ...Item('there'), ConditionExpression: 'attribute_not_exists(id)' } },
      ];
      await bed.client.send(new TransactWriteItemsCommand({ TransactItems })).catch(() => undefined);
      const { Item: found } = await bed.client.send(new GetItemCommand({ TableName: bed.table, Key: { id: { S: 'never' } } }));
      return found === undefined ? 'nothing' : 'something';
    },
  },
  {
    name: 'transaction: two writes of one item',
    ask: (bed) => {
      const TransactItems = ['1', '2'].map((S) => ({ Put: { TableName: bed.table, Item: { id: { S: 'twice' }, a: { S } } } }));
      return verdict(bed.client.send(new TransactWriteItemsCommand({ TransactItems })));
    },
  },
  {
    name: 'transaction: the same token again',
    ask: async (bed) => {
      const request = {
        ClientRequestToken: 'conformance-token',
        TransactItems: [{ Put: { TableName: bed.table, Item: { id: { S: 'token' } } } }],
      };
      await bed.client.send(new TransactWriteItemsCommand(request));
      const other = [{ Put: { TableName: bed.table, Item: { id: { S: 'other' } } } }];
      const same = await verdict(bed.client.send(new TransactWriteItemsCommand(request)));
      return `${same}; for another request ${await verdict(bed.client.send(new TransactWriteItemsCommand({ ...request, TransactItems: other })))}`;
    },
  },
  {
    name: 'transaction: a table that is not there',
    ask: ({ client }) =>
      verdict(
        client.send(
          new TransactWriteItemsCommand({
            TransactItems: [{ Put: { TableName: 'conformance-nowhere', Item: { id: { S: 'x' } } } }],
          }),
        ),
      ),
  },
];
