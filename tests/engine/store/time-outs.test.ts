import { DescribeScalableTargetsCommand } from '@aws-sdk/client-application-auto-scaling';
import { ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { expect } from 'chai';
import * as dynamo from '../../../engine/aws/clients.ts';
import * as others from '../../../engine/aws/command-clients.ts';
import { documentClient } from '../../../engine/aws/migrate/document-clients.ts';
import { storeError } from '../../../engine/aws/store/store-error.ts';
import { openFullServer } from '../../support/full-server.ts';
import { openSilentServer } from '../../support/silent-server.ts';

const clients = { ...dynamo, ...others };
const { dynamoClient, s3Client, logsClient } = clients;

/** A call by every kind of client that can be made; `endpoint` is where the server is. */
const calls = (endpoint: string): Readonly<Record<string, () => Promise<unknown>>> => {
  const options = { region: 'us-east-1', endpoint, maxAttempts: 1, credentials: clients.localCredentials };
  return {
    dynamoClient: () => dynamoClient(options).send(new ListTablesCommand({})),
    documentClient: () => documentClient(dynamoClient(options)).get({ TableName: 't', Key: { id: 'x' } }),
    s3Client: async () => (await s3Client(options)).send(new ListBucketsCommand({})),
    logsClient: async () => (await logsClient(options)).send(new DescribeLogGroupsCommand({})),
    cloudWatchClient: async () => (await clients.cloudWatchClient(options)).send(new DescribeAlarmsCommand({})),
    scalingClient: async () =>
      (await clients.scalingClient(options)).send(new DescribeScalableTargetsCommand({ ServiceNamespace: 'dynamodb' })),
    cloudFormationClient: async () => (await clients.cloudFormationClient(options)).send(new ListStacksCommand({})),
    lambdaClient: async () => (await clients.lambdaClient(options)).send(new ListEventSourceMappingsCommand({})),
    sfnClient: async () => (await clients.sfnClient(options)).send(new ListStateMachinesCommand({})),
    stsClient: async () => (await clients.stsClient(options)).send(new GetCallerIdentityCommand({})),
  };
};

async function messageOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
  } catch (error) {
    return (storeError(undefined, error) as Error).message;
  }
  throw new Error('it was answered');
}

describe('every client', function () {
  this.timeout(60_000);

  it('is among the calls here', () => {
    const makers = Object.keys(clients).filter((name) => name.endsWith('Client'));
    expect(Object.keys(calls('http://127.0.0.1:1'))).to.have.members([...makers, 'documentClient']);
  });

  const servers = [
    ['lets nobody in', openFullServer],
    ['never answers', openSilentServer],
  ] as const;
  for (const [what, open] of servers) {
    it(`gives up a server that ${what}, and says which and how long it waited`, async () => {
      const server = await open();
      try {
        const told = await Promise.all(Object.entries(calls(server.endpoint)).map(async ([, call]) => messageOf(call)));
        expect(new Set(told)).to.deep.equal(new Set([`the server ${server.endpoint} gave no answer within 5 s`]));
      } finally {
        server.close();
      }
    });
  }
});
