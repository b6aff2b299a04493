import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

const clients = new URL('../../../engine/aws/clients.ts', import.meta.url).href;

/** Whom a process with this environment says to be at a server on this machine; or how it failed. */
function askedAs(endpoint: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const script = `const { dynamoClient } = await import(${JSON.stringify(clients)});
    const { ListTablesCommand } = await import('@aws-sdk/client-dynamodb');
    const client = dynamoClient({ region: 'us-east-1', endpoint: ${JSON.stringify(endpoint)}, maxAttempts: 1 });
    await client.send(new ListTablesCommand({})).then(({ TableNames }) => console.log(TableNames[0]), (e) => console.log(e.name));`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', AWS_EC2_METADATA_DISABLED: 'true', ...environment },
  });
  return new Promise((resolve) => {
    let said = '';
    child.stdout.on('data', (text) => {
      said += String(text);
    });
    child.on('close', () => resolve(said.trim()));
  });
}

describe('credentials for a server that is not AWS', () => {
  let server: Server;
  let home = '';

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'tablewright-home-'));
    // It answers with the access key that it was asked with.
    server = createServer((request, response) => {
      const key = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1];
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify({ TableNames: [key] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  after(async () => {
    server.close();
    await rm(home, { recursive: true, force: true });
  });

  const ask = (environment: Readonly<Record<string, string>>) =>
    askedAs(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { HOME: home, ...environment });

  it('are the caller’s own, and the local ones where there are none', async () => {
    expect(await ask({})).to.equal('S3RVER');
    expect(await ask({ AWS_ACCESS_KEY_ID: 'AKIDOFTHEUSER', AWS_SECRET_ACCESS_KEY: 'secret' })).to.equal('AKIDOFTHEUSER');
    const file = join(home, 'credentials');
    await writeFile(file, '[work]\naws_access_key_id = AKIDOFWORK\naws_secret_access_key = secret\n');
    expect(await ask({ AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'work' })).to.equal('AKIDOFWORK');
  });

  it('are not made up where a profile was named that has none', async () => {
    expect(await ask({ AWS_PROFILE: 'nobody' })).to.equal('CredentialsProviderError');
  });
});
