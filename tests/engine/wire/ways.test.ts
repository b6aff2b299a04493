import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { type ClientOptions, dynamoClient, localCredentials } from '../../../engine/aws/clients.ts';
import { Patience } from '../../../engine/aws/patience.ts';
import { classifyError, type SdkFailure, storeError } from '../../../engine/aws/store/store-error.ts';
import { DirectWire } from '../../../engine/aws/wire/direct-wire.ts';
import { learnTemplate } from '../../../engine/aws/wire/request-template.ts';
import { sdkWire } from '../../../engine/aws/wire/sdk-wire.ts';
import { type Wire, wireOf } from '../../../engine/aws/wire/wire.ts';
import { speakDialect } from '../../../engine/local/dynoxide-dialect.ts';
import type { TablewrightError } from '../../../tables/model/error.ts';
import { openSilentServer } from '../../support/silent-server.ts';

const json = { 'content-type': 'application/x-amz-json-1.0' };
const region = 'us-east-1';
const input = { TableName: 'table' };

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that keeps the headers of what it is asked. */
async function withServer<T>(
  answer: RequestListener,
  work: (endpoint: string, seen: IncomingHttpHeaders[]) => Promise<T>,
): Promise<T> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => answer(request, response));
  });
  try {
    return await work(await listening(server), seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const fine: RequestListener = (_, to) => to.writeHead(200, json).end('{"Items":[],"Count":0,"Responses":{}}');
const open = (endpoint: string, more: Partial<ClientOptions> = {}) =>
  dynamoClient({ region, endpoint, maxAttempts: 1, credentials: localCredentials, ...more });
const failure = async (wire: Wire, signal?: AbortSignal): Promise<SdkFailure> =>
  wire.call('Scan', input, signal).then(
    () => Promise.reject(new Error('it should have failed')),
    (error: SdkFailure) => error,
  );

describe('the way of a request', () => {
  /** The SDK marks what it sends. */
  const isSdks = (headers: IncomingHttpHeaders | undefined): boolean => headers?.['amz-sdk-request'] !== undefined;

  it('is direct for a client that repeats nothing, also where a dialect may be spoken', () =>
    withServer(fine, async (endpoint, seen) => {
      for (const client of [open(endpoint), speakDialect(open(endpoint))]) {
        expect(wireOf(client)).to.be.instanceOf(DirectWire).and.to.equal(wireOf(client));
        await wireOf(client).call('Scan', input);
        expect(Buffer.from(await wireOf(client).text('Scan', input)).toString()).to.equal(
          '{"Items":[],"Count":0,"Responses":{}}',
        );
        client.destroy();
      }
      expect(seen.map(isSdks)).to.deep.equal([false, false, false, false]);
    }));

  it('is the SDK’s where that would lose something: repetitions, other middleware, a handler of others, a table’s ARN', () =>
    withServer(fine, async (endpoint, seen) => {
      const seeing = open(endpoint);
      seeing.middlewareStack.add((next) => (args) => next(args), { step: 'build', name: 'tracing' });
      const foreign = new DynamoDBClient({ region, endpoint, credentials: localCredentials, maxAttempts: 1 });
      const arn = `arn:aws:dynamodb:${region}:123456789012:table/table`;
      const asks = [
        () => wireOf(open(endpoint, { maxAttempts: 2 })).call('Scan', input),
        () => wireOf(seeing).call('Scan', input),
        () => wireOf(seeing).text('Scan', input),
        () => wireOf(foreign).call('Scan', input),
        () => wireOf(open(endpoint)).call('Scan', { TableName: arn }),
        () => wireOf(open(endpoint)).call('BatchGetItem', { RequestItems: { [arn]: { Keys: [] } } }),
        () => wireOf(open(endpoint)).call('TransactWriteItems', { TransactItems: [{ Put: { TableName: arn, Item: {} } }] }),
      ];
      for (const ask of asks) await ask();
      expect(seen.map(isSdks)).to.deep.equal(asks.map(() => true));
    }));

  it('follows credentials that are renewed', () =>
    withServer(fine, async (endpoint, seen) => {
      let turn = 0;
      let expiration = new Date();
      const credentials = async () => {
        turn += 1;
        expiration = new Date(Date.now() + 3_600_000);
        return { ...localCredentials, accessKeyId: `AKID${turn}`, sessionToken: `token ${turn}`, expiration };
      };
      const client = open(endpoint, { credentials: credentials as unknown as ClientOptions['credentials'] });
      const ask = () => wireOf(client).call('Scan', input);
      await ask();
      await ask();
      expiration.setTime(Date.now());
      await ask();
      await ask();
      expect(seen.map(isSdks)).to.deep.equal([false, false, false, false]);
      const keys = seen.map(({ authorization = '' }) => /Credential=(\w+)/.exec(authorization)?.[1]);
      expect(keys).to.deep.equal(['AKID1', 'AKID1', 'AKID2', 'AKID2']);
      expect(seen.map(({ 'x-amz-security-token': token }) => token)).to.deep.equal(['token 1', 'token 1', 'token 2', 'token 2']);
      client.destroy();
    }));

  it('is the SDK’s where credentials are others each time that they are asked for, and still signed with those', () =>
    withServer(fine, async (endpoint, seen) => {
      let turn = 0;
      const credentials = async () => {
        turn += 1;
        return { ...localCredentials, accessKeyId: `AKID${turn}`, sessionToken: `token ${turn}`, expiration: new Date() };
      };
      const client = open(endpoint, { credentials: credentials as unknown as ClientOptions['credentials'] });
      for (let ask = 0; ask < 3; ask += 1) await wireOf(client).call('Scan', input);
      for (const { authorization, 'x-amz-security-token': token } of seen) {
        const [, key = ''] = /Credential=AKID(\d+)\//.exec(authorization ?? '') ?? [];
        expect(token).to.equal(`token ${key}`);
      }
      expect(new Set(seen.map(({ authorization = '' }) => authorization.split('/')[0])).size).to.equal(3);
      expect(seen.map(isSdks)).to.deep.equal([true, true, true]);
      client.destroy();
    }));

  it('leads where the SDK’s own rules lead: region, FIPS, dual stack, an account’s address', async () => {
    const hostOf = async (
      credentials: object,
      environment: Readonly<Record<string, string>> = {},
    ): Promise<string | undefined> => {
      Object.assign(process.env, environment);
      try {
        const client = dynamoClient({ region: 'eu-central-1', maxAttempts: 1, credentials: credentials as never });
        const found = await learnTemplate(client, 'BatchWriteItem', credentials as never);
        client.destroy();
        return found === undefined ? undefined : `${found.target.protocol}//${found.target.hostname}${found.target.path}`;
      } finally {
        for (const name of Object.keys(environment)) delete process.env[name];
      }
    };
    expect(await hostOf(localCredentials)).to.equal('https://dynamodb.eu-central-1.amazonaws.com/');
    expect(await hostOf(localCredentials, { AWS_USE_FIPS_ENDPOINT: 'true' })).to.equal(
      'https://dynamodb-fips.eu-central-1.amazonaws.com/',
    );
    expect(await hostOf(localCredentials, { AWS_USE_DUALSTACK_ENDPOINT: 'true' })).to.equal(
      'https://dynamodb.eu-central-1.api.aws/',
    );
    expect(await hostOf({ ...localCredentials, accountId: '123456789012' })).to.equal(
      'https://123456789012.ddb.eu-central-1.amazonaws.com/',
    );
    // Ours of that request would not be the SDK's.
    const client = dynamoClient({ region, maxAttempts: 1, credentials: localCredentials });
    expect(await learnTemplate(client, 'Scan', { ...localCredentials, secretAccessKey: 'another' })).to.equal(undefined);
  });
});

describe('a request of the wire that fails', () => {
  /** What both ways tell of it, without what differs from one time to the next. */
  const told = (error: SdkFailure) => {
    const { code, message, repeatable } = storeError('t', error) as TablewrightError;
    const { name, server, operation, unsent, cut, sent } = error;
    const { kind } = classifyError(error, 't');
    return { code, message, repeatable, kind, name, errno: error.code, server, operation, unsent, cut, sent };
  };
  const same = async (endpoint: string): Promise<SdkFailure> => {
    const client = open(endpoint);
    const own = await failure(wireOf(client));
    expect(told(own)).to.deep.equal(told(await failure(sdkWire(client))));
    client.destroy();
    return own;
  };

  it('fails as the SDK’s: nobody there, no such name, no TLS, no HTTP, cut before and within the answer', async () => {
    const gone = createServer(fine);
    const endpoint = await listening(gone);
    await new Promise((resolve) => gone.close(resolve));
    expect((await same(endpoint)).unsent).to.equal(true);
    await same('http://no-such-host.invalid');
    await withServer(fine, (there) => same(there.replace('http:', 'https:')));
    const greeter = createSocketServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    await same(await listening(greeter));
    greeter.close();
    await withServer((request) => request.socket.destroy(), same);
    const half: RequestListener = (request, to) => {
      to.writeHead(200, { ...json, 'content-length': 100 });
      to.write('{"Items":[', () => request.socket.destroy());
    };
    expect((await withServer(half, same)).cut).to.equal(true);
  });

  it('fails as the SDK’s where there are no credentials, or none can be got', () =>
    withServer(fine, async (endpoint, seen) => {
      const none = Object.assign(new Error('Could not load credentials'), { name: 'CredentialsProviderError' });
      for (const error of [none, new Error('the role is gone')]) {
        const credentials = (() => Promise.reject(error)) as unknown as ClientOptions['credentials'];
        const client = open(endpoint, { credentials });
        const own = await failure(wireOf(client));
        expect(told(own)).to.deep.equal(told(await failure(sdkWire(client))));
        expect(own).to.equal(error);
        client.destroy();
      }
      expect(seen).to.deep.equal([]);
    }));

  it('ends at once when it is stopped, and when nothing is waited for any longer', async () => {
    const server = await openSilentServer();
    const stop = new AbortController();
    const client = open(server.endpoint);
    const asked = server.asked();
    const stopped = failure(wireOf(client), stop.signal);
    await asked;
    stop.abort(new Error('enough'));
    expect(await stopped).to.include({ name: 'AbortError' });
    expect(await failure(wireOf(client), stop.signal)).to.include({ name: 'AbortError' });
    client.destroy();

    const command = new AbortController();
    const impatient = open(server.endpoint, { patience: new Patience(command.signal) });
    const again = server.asked();
    const [waiting, other] = [failure(wireOf(impatient)), failure(wireOf(impatient))];
    await again;
    command.abort();
    expect((await waiting).name).to.equal('AbortError');
    expect(classifyError(await other, 't')).to.include({ kind: 'failed', cause: 'connection' });
    expect((await failure(wireOf(impatient))).name).to.equal('AbortError');
    impatient.destroy();
    server.close();
  });

  it('sets the clock by an answer, for all that were on their way, and shares it with the SDK', async () => {
    const aheadMs = 20 * 60_000;
    const date = () => new Date(Date.now() + aheadMs).toUTCString();
    const strict: RequestListener = ({ headers }, to) => {
      const stamp = String(headers['x-amz-date']).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:');
      const isLate = Date.parse(stamp) < Date.now() + aheadMs / 2;
      const body = isLate
        ? '{"__type":"x#InvalidSignatureException","message":"Signature expired"}'
        : '{"Count":0,"TableNames":[]}';
      to.writeHead(isLate ? 400 : 200, { ...json, date: date() }).end(body);
    };
    await withServer(strict, async (endpoint) => {
      const client = open(endpoint);
      const first = await Promise.all(Array.from({ length: 8 }, () => failure(wireOf(client))));
      for (const error of first) {
        expect(classifyError(error, 't')).to.include({
          kind: 'failed',
          cause: 'server-error',
          message: "this machine's clock is 20 min behind the server's, so the server does not take its signatures",
        });
      }
      expect(await wireOf(client).call('Scan', input)).to.deep.equal({ Count: 0, TableNames: [] });
      await client.send(new ListTablesCommand({}));
      client.destroy();
    });
  });

  it('is refused for what it is while the clocks differ', () =>
    withServer(
      (_, to) => {
        const date = new Date(Date.now() - 20 * 60_000).toUTCString();
        to.writeHead(400, { ...json, date }).end('{"__type":"x#ThrottlingException","message":"slow down"}');
      },
      async (endpoint) => {
        const client = open(endpoint);
        for (const wire of [wireOf(client), sdkWire(client)]) {
          expect(classifyError(await failure(wire), 't')).to.include({ kind: 'failed', cause: 'throttled' });
        }
        client.destroy();
      },
    ));
});

describe('a dialect on the wire', () => {
  const statement = { Statement: 'UPDATE "t" SET "a"=? SET "b"=? WHERE "id"=?' };
  const heardBy = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const heard: string[] = [];
    const server = createServer((request, to) => {
      let body = '';
      request.on('data', (part) => {
        body += String(part);
      });
      request.on('end', () => {
        const { Statements = [] } = JSON.parse(body) as { Statements?: { Statement: string }[] };
        heard.push(...Statements.map(({ Statement }) => Statement));
        to.writeHead(200, { ...json, ...headers }).end('{"Responses":[],"TableNames":[]}');
      });
    });
    const client = speakDialect(open(await listening(server)));
    for (let turn = 0; turn < 2; turn += 1) await wireOf(client).call('BatchExecuteStatement', { Statements: [statement] });
    client.destroy();
    server.close();
    return heard;
  };

  it('is spoken to the server that says so, from the first statement on, and to no other', async () => {
    expect(await heardBy({ 'x-dynoxide-version': '1' })).to.deep.equal(
      Array(2).fill('UPDATE "t" SET "a"=? , "b"=? WHERE "id"=?'),
    );
    expect(await heardBy({})).to.deep.equal([statement.Statement, statement.Statement]);
  });
});
