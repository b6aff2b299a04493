import { runSimulation } from '@cloud-copilot/iam-simulate';
import { expect } from 'chai';
import type { DeployedAccess, PolicyDocument } from '../support/enforcing-front/access.ts';
import { ask } from '../support/enforcing-front/ask.ts';
import { Decisions } from '../support/enforcing-front/decide.ts';
import { dynamodbAsks } from '../support/enforcing-front/dynamodb-asks.ts';
import { allowsNewer, newerActions } from '../support/enforcing-front/newer-actions.ts';
import { cloudwatchAsks, lambdaAsks } from '../support/enforcing-front/other-asks.ts';
import { statementTarget } from '../support/enforcing-front/partiql.ts';
import { s3Asks } from '../support/enforcing-front/s3-asks.ts';

const region = 'us-east-1';
const account = '111122223333';
const key = `arn:aws:kms:${region}:${account}:key/k`;
const table = (name: string) => `arn:aws:dynamodb:${region}:${account}:table/${name}`;
const document = (...Statement: readonly object[]) => ({ Version: '2012-10-17', Statement }) as unknown as PolicyDocument;
const allow = (Action: string, Resource: string) => ({ Sid: 'S', Effect: 'Allow', Action, Resource });

const access: DeployedAccess = {
  account,
  region,
  policies: new Map([
    ['reader', document(allow('dynamodb:GetItem', table('orders')))],
    ['nobody', document(allow('dynamodb:GetItem', table('others')))],
  ]),
  key: { arn: key, alias: 'alias/x', policy: document() },
  buckets: new Map(),
  keyedBuckets: new Set(['kept']),
  tables: new Map([
    [
      'orders',
      {
        hashes: new Map([
          ['', 'id'],
          ['byOwner', 'owner'],
        ]),
      },
    ],
  ]),
};

/** Action, resource and partitions; what is asked of KMS aside. */
const asksOf = (operation: string, input: object) =>
  dynamodbAsks(access, operation, input as Readonly<Record<string, unknown>>)
    .filter(({ action }) => action.startsWith('dynamodb:'))
    .map(({ action, resource, context }) => [
      action.slice(9),
      resource.replace(table(''), ''),
      context['dynamodb:LeadingKeys'] ?? [],
    ]);

describe('the enforcing front', () => {
  it('asks for a Query by its index, and finds the partition key behind placeholders', () => {
    const names = { ExpressionAttributeNames: { '#o': 'owner', '#t': 'at' } };
    const values = { ExpressionAttributeValues: { ':o': { S: 'me' }, ':t': { S: '2026' } } };
    const KeyConditionExpression = '#t >= :t AND #o = :o';
    const input = { TableName: 'orders', IndexName: 'byOwner', KeyConditionExpression, ...names, ...values };
    expect(asksOf('Query', input)).to.deep.equal([['Query', 'orders/index/byOwner', ['me']]]);
    expect(() => asksOf('Query', { ...input, KeyConditionExpression: '#t = :t' })).to.throw('no partition key');
  });

  it('asks for each item of a transaction as if it came alone', () => {
    const item = { id: { S: 'a' } };
    const TransactItems = [
      { Put: { TableName: 'orders', Item: item } },
      { Update: { TableName: 'orders', Key: { id: { S: 'b' } } } },
      { Delete: { TableName: 'others', Key: item } },
      { ConditionCheck: { TableName: 'orders', Key: item } },
    ];
    expect(asksOf('TransactWriteItems', { TransactItems })).to.deep.equal([
      ['PutItem', 'orders', ['a']],
      ['UpdateItem', 'orders', ['b']],
      ['DeleteItem', 'others', []],
      ['ConditionCheckItem', 'orders', ['a']],
    ]);
  });

  it('asks for a batch by table, with every partition in it', () => {
    const put = (id: string) => ({ PutRequest: { Item: { id: { S: id } } } });
    const RequestItems = { orders: [put('b'), put('a'), put('b')], others: [put('c')] };
    expect(asksOf('BatchWriteItem', { RequestItems })).to.deep.equal([
      ['BatchWriteItem', 'orders', ['a', 'b']],
      ['BatchWriteItem', 'others', []],
    ]);
  });

  it('tells statements apart by their verb, and knows the table or index that each is about', () => {
    expect(statementTarget('UPDATE "orders" SET "a"=? WHERE "id"=?')).to.deep.include({
      action: 'PartiQLUpdate',
      table: 'orders',
    });
    expect(statementTarget(`INSERT INTO "my.table" VALUE {'id': ?}`)).to.deep.include({
      action: 'PartiQLInsert',
      table: 'my.table',
    });
    expect(statementTarget('delete from orders where "id"=?')).to.deep.include({ action: 'PartiQLDelete', table: 'orders' });
    expect(statementTarget('SELECT "a" FROM "orders"."byOwner" WHERE "owner"=?')).to.deep.equal({
      action: 'PartiQLSelect',
      table: 'orders',
      index: 'byOwner',
    });
    expect(() => statementTarget('EXPLAIN nothing')).to.throw('cannot tell');
  });

  it('refuses to answer for a request that it does not know, instead of letting it through', () => {
    expect(() => asksOf('EnableKinesisStreamingDestination', { TableName: 'orders' })).to.throw('does not know how DynamoDB');
    expect(() => s3Asks(access, { method: 'PATCH', url: '/kept/a', headers: {}, body: '' })).to.throw('does not know how S3');
  });

  it('asks KMS for objects of a bucket under the stack’s key, and only for those', () => {
    const asked = (method: string, url: string) =>
      s3Asks(access, { method, url, headers: {}, body: '' }).map(({ action, resource }) => `${action} ${resource}`);
    expect(asked('GET', '/kept/a%20b/c')).to.deep.equal(['s3:GetObject arn:aws:s3:::kept/a b/c', `kms:Decrypt ${key}`]);
    expect(asked('PUT', '/other/a')).to.deep.equal(['s3:PutObject arn:aws:s3:::other/a']);
    expect(asked('GET', '/kept?list-type=2&prefix=a')).to.deep.equal(['s3:ListBucket arn:aws:s3:::kept']);
    expect(asked('DELETE', '/kept/a?uploadId=1')).to.deep.equal(['s3:AbortMultipartUpload arn:aws:s3:::kept/a']);
  });

  it('asks for alarms by their names, for metrics by their namespace, for listeners at large', () => {
    const alarm = (name: string) => `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
    const asked = cloudwatchAsks(access, 'DescribeAlarms', { AlarmNames: ['a', 'b'] });
    expect(asked.map(({ resource }) => resource)).to.deep.equal([alarm('a'), alarm('b')]);
    const [all] = cloudwatchAsks(access, 'DescribeAlarms', {});
    expect(all?.resource).to.contain('whatever');
    expect(cloudwatchAsks(access, 'PutMetricData', { Namespace: 'x' })[0]?.context).to.deep.equal({
      'cloudwatch:namespace': 'x',
    });
    expect(() => cloudwatchAsks(access, 'DeleteAlarms', {})).to.throw('does not know how CloudWatch');
    expect(lambdaAsks('GET /2015-03-31/event-source-mappings?EventSourceArn=x')).to.deep.equal([
      ask('lambda:ListEventSourceMappings', '*'),
    ]);
    expect(() => lambdaAsks('GET /2015-03-31/functions')).to.throw('does not know how Lambda');
  });

  it('names each object of a deletion', () => {
    const body = '<Delete><Object><Key>a</Key></Object><Object><Key>b/c</Key></Object></Delete>';
    const asked = s3Asks(access, { method: 'POST', url: '/kept?delete', headers: {}, body });
    expect(asked.map(({ action, resource }) => `${action} ${resource}`)).to.deep.equal([
      's3:DeleteObject arn:aws:s3:::kept/a',
      's3:DeleteObject arn:aws:s3:::kept/b/c',
    ]);
  });

  it('decides by what a caller holds, and by nothing else', async () => {
    const decisions = new Decisions(access);
    const get = ask('dynamodb:GetItem', table('orders'), { 'dynamodb:LeadingKeys': ['any'] });
    expect(await decisions.allows(['reader'], get)).to.equal(true);
    expect(await decisions.allows(['nobody'], get)).to.equal(false);
    expect(await decisions.allows([], get)).to.equal(false);
    expect(await decisions.allows(['nobody', 'reader'], get)).to.equal(true);
  });

  it('decides actions itself that the evaluator does not know, and only those', async () => {
    const bulk = ask('dynamodb:StartBulkPutItems', table('orders'));
    const put = allow('dynamodb:StartBulk*', table('orders'));
    expect(allowsNewer([document(put)], bulk)).to.equal(true);
    expect(allowsNewer([document(put)], ask('dynamodb:StartBulkPutItems', table('others')))).to.equal(false);
    expect(allowsNewer([document({ ...put, Condition: { Bool: { a: 'true' } } })], bulk)).to.equal(false);
    expect(allowsNewer([document(put), document({ ...allow('*', '*'), Effect: 'Deny' })], bulk)).to.equal(false);
    for (const action of newerActions) {
      const request = {
        principal: `arn:aws:iam::${account}:role/x`,
        action,
        resource: { resource: '*', accountId: account },
        contextVariables: {},
      };
      const policies = { identityPolicies: [], serviceControlPolicies: [], resourceControlPolicies: [] };
      const { resultType } = await runSimulation({ request, ...policies }, {});
      expect(resultType, `${action} is known by now: take it out of newer-actions.ts`).to.equal('error');
    }
  });
});
