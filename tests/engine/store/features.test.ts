import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient, localCredentials } from '../../../engine/aws/clients.ts';
import { findLacks } from '../../../engine/aws/store/find-features.ts';
import { type Feature, refuseLacking } from '../../../engine/core/store/features.ts';
import { engineNames } from '../../../engine/local/choose-engine.ts';
import { openDynamo } from '../../../engine/local/local-engine.ts';
import type { TablewrightError } from '../../../tables/model/error.ts';
import { failureOf } from '../../support/failure-of.ts';
import { skipWithout } from '../../support/java.ts';

async function lacksAt(endpoint: string, naturalKeys = false): Promise<readonly Feature[]> {
  const client = dynamoClient({ region: 'us-east-1', endpoint, credentials: localCredentials });
  try {
    return [...(await findLacks(client, { table: 'tablewright-ledger', naturalKeys }))];
  } finally {
    client.destroy();
  }
}

/** A server that knows a few calls only, as dynalite and old releases of DynamoDB Local do. */
async function asOf<T>(known: readonly string[], work: (endpoint: string) => Promise<T>, maxActions = 100): Promise<T> {
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    let body = '';
    for await (const part of request) body += String(part);
    const { TransactItems = [] } = JSON.parse(body) as { readonly TransactItems?: readonly unknown[] };
    const refusal =
      TransactItems.length === 0 || TransactItems.length > maxActions ? 'ValidationException' : 'ResourceNotFoundException';
    const type = known.includes(operation) ? refusal : 'UnknownOperationException';
    response
      .writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify({ __type: `com.amazon#${type}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

describe('what a server cannot do', () => {
  const expected: Readonly<Record<string, readonly Feature[]>> = {
    dynoxide: ['point-in-time recovery', 'backups'],
    'dynamodb-local': ['point-in-time recovery', 'tags', 'backups'],
  };

  for (const engine of engineNames) {
    describe(`on ${engine}`, () => {
      skipWithout(engine);

      it(`is found out by asking: ${engine}`, async () => {
        const service = await openDynamo({ data: { kind: 'memory' }, engine });
        expect(await lacksAt(service.endpoint)).to.deep.equal(expected[engine]);
        await service.release();
      });
    });
  }

  for (const engine of engineNames) {
    describe(`on ${engine}`, () => {
      skipWithout(engine);

      it(`is whether indexes have keys of several attributes, where a catalogue needs them: ${engine}`, async () => {
        const service = await openDynamo({ data: { kind: 'memory' }, engine });
        const client = dynamoClient({ region: 'us-east-1', endpoint: service.endpoint, credentials: localCredentials });
        try {
          // Two that ask at once are not in each other's way.
          for (const lacks of await Promise.all([lacksAt(service.endpoint, true), lacksAt(service.endpoint, true)])) {
            expect(lacks.includes('index keys of several attributes')).to.equal(engine === 'dynoxide');
          }
          // The tables that told it are gone again.
          expect((await client.send(new ListTablesCommand({}))).TableNames).to.deep.equal([]);
        } finally {
          client.destroy();
          await service.release();
        }
      });
    });
  }

  it('is everything that it does not know; a server that is not there is no answer', async () => {
    expect(await asOf(['ListTagsOfResource'], (endpoint) => lacksAt(endpoint))).to.deep.equal([
      'point-in-time recovery',
      'backups',
      'TTL',
      'PartiQL',
      'transactions',
    ]);
    expect((await failureOf(lacksAt('http://127.0.0.1:9'))).code).to.equal('STORE_FAILED');
  });

  it('is TTL where it can only be looked at, and transactions where they take 25 actions at most', async () => {
    const all = [
      ...['DescribeContinuousBackups', 'ListTagsOfResource', 'ListBackups', 'DescribeTimeToLive', 'UpdateTimeToLive'],
      ...['BatchExecuteStatement', 'TransactWriteItems'],
    ];
    expect(await asOf(all, (endpoint) => lacksAt(endpoint))).to.deep.equal([]);
    expect(await asOf(all, lacksAt, 25)).to.deep.equal(['transactions']);
    const lookedAt = all.filter((operation) => operation !== 'UpdateTimeToLive');
    expect(await asOf(lookedAt, (endpoint) => lacksAt(endpoint))).to.deep.equal(['TTL']);
  });

  it('is refused where the toolkit needs it, all of it in one error, with the release that has it', () => {
    const refused = (...lacks: readonly Feature[]): TablewrightError | undefined => {
      try {
        refuseLacking(new Set(lacks), 'http://127.0.0.1:4567');
      } catch (error) {
        return error as TablewrightError;
      }
      return undefined;
    };
    expect(refused('encryption', 'tags', 'TTL', 'backups', 'point-in-time recovery')).to.equal(undefined);
    expect(refused('transactions', 'PartiQL')?.message).to.equal(
      [
        'http://127.0.0.1:4567 does not offer BatchExecuteStatement and TransactWriteItems',
        '  - BatchExecuteStatement: migrations change items with it; DynamoDB Local 1.15.0 has it',
        '  - TransactWriteItems: the ledger and every operation are written with it, up to 100 actions at once; DynamoDB Local 1.21.0 has it',
      ].join('\n'),
    );
    expect(refused('PartiQL')?.code).to.equal('NOT_OFFERED');
  });
});
