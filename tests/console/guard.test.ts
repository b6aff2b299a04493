import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { type ServedConsole, serveConsole } from '../support/console-bed.ts';
import { tables } from '../support/project.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const settings = (production: boolean): string => `config:\n  aws:region: us-east-1\n  tablewright:production: ${production}\n`;

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A request with any header, also those that `fetch` keeps to itself. */
function raw(
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string },
) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(url, { method: options.method ?? 'GET', headers: options.headers ?? {} }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(options.body);
  });
}

describe('the console’s door', () => {
  let folder: ProjectFolder;
  let engine: TestEngine;
  let served: ServedConsole;
  let cookie: string;

  before(async () => {
    folder = await projectFolder({ dev: settings(false), prod: settings(true) });
    engine = await startEngine(tables, parseStackConfig('dev', {}, tables));
    served = await serveConsole(folder.root, ['--endpoint', engine.endpoint]);
    cookie = (await served.openSession()).split(';')[0] ?? '';
  });
  after(async () => {
    await served?.close();
    await engine?.close();
    await folder?.remove();
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    raw(served.origin + path, { headers: { cookie, ...headers } });

  it('is open on 127.0.0.1 and on no other address of the machine', async () => {
    const port = Number(new URL(served.origin).port);
    const others = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).filter((one) => !one.internal && one.family === 'IPv4'),
    );
    for (const { address } of others) {
      const outcome = await new Promise<string>((resolve) => {
        const socket = connect({ host: address, port, timeout: 2_000 }, () => resolve('open'));
        socket.on('error', () => resolve('closed'));
        socket.on('timeout', () => resolve('closed'));
        socket.on('connect', () => socket.destroy());
      });
      expect(outcome, address).to.equal('closed');
    }
    expect((await get('/')).status).to.equal(200);
  });

  it('refuses a Host header of another name, as DNS rebinding sends it', async () => {
    for (const host of ['evil.example', `evil.example:${new URL(served.origin).port}`, '127.0.0.1', '127.0.0.1:1']) {
      for (const path of ['/', '/app.js', '/api/stack']) {
        const { status, text } = await get(path, { host });
        expect([status, JSON.parse(text).error], `${host} ${path}`).to.deep.equal([403, 'REFUSED']);
      }
    }
    expect((await get('/api/stack', { host: `localhost:${new URL(served.origin).port}` })).status).to.equal(200);
  });

  it('gives data only to whoever has exchanged the link’s token for a cookie', async () => {
    for (const path of ['/api/stack', '/api/tables', '/api/live', '/api/tables/markets/items']) {
      const { status, text } = await raw(served.origin + path, {});
      expect([status, JSON.parse(text).error], path).to.deep.equal([401, 'NO_SESSION']);
    }
    expect((await get('/api/stack', { cookie: cookie.replace(/=.*/, '=guess') })).status).to.equal(401);
    const wrong = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token: 'guess' }) };
    const refused = await raw(`${served.origin}/api/session`, wrong);
    expect([refused.status, refused.headers['set-cookie']]).to.deep.equal([401, undefined]);
    expect((await get('/api/stack')).status).to.equal(200);
  });

  it('names the cookie for its port, keeps it from scripts and from other sites, and puts another secret in it', async () => {
    const whole = await served.openSession();
    const { port } = new URL(served.origin);
    expect(whole).to.match(new RegExp(`^tablewright-${port}=[\\w-]{32}; Path=/; HttpOnly; SameSite=Strict$`));
    expect(whole).not.to.contain(served.token);
  });

  it('keeps the token in the fragment, which browsers send to nobody', () => {
    const { pathname, search, hash } = new URL(served.link);
    expect([pathname, search]).to.deep.equal(['/', '']);
    expect(hash).to.match(/^#token=[\w-]{32}$/);
  });

  it('refuses requests from other sites and origins, with a session too', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
    ]) {
      expect((await get('/api/stack', headers)).status, JSON.stringify(headers)).to.equal(403);
    }
    expect((await get('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).to.equal(403);
    expect((await get('/', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })).status).to.equal(200);
    expect((await get('/api/stack', { 'sec-fetch-site': 'same-origin', origin: served.origin })).status).to.equal(200);
  });

  it('takes no form of another page: what is sent must be JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const sent = { method: 'POST', headers: { cookie, 'content-type': type }, body: '{}' };
      expect((await raw(`${served.origin}/api/pause`, sent)).status, type).to.equal(403);
    }
  });

  it('knows no CORS: a preflight is refused and no answer names an origin', async () => {
    const asked = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const preflight = await raw(`${served.origin}/api/pause`, { method: 'OPTIONS', headers: { cookie, ...asked } });
    expect(preflight.status).to.equal(403);
    for (const { headers } of [preflight, await get('/api/stack'), await get('/')]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
    }
  });

  it('sends a strict Content-Security-Policy with everything, refusals too', async () => {
    const answers = [
      await get('/'),
      await get('/app.js'),
      await get('/api/stack'),
      await get('/nothing'),
      await get('/', { host: 'x' }),
    ];
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).to.equal(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers).to.deep.include({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    }
  });

  it('serves pages that name nothing outside of this server', async () => {
    const { text } = await get('/');
    const named = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target]) => target);
    expect(named).to.deep.equal(['data:,', '/app.css', '/app.js']);
    expect((await get('/app.css')).text).not.to.match(/url\(|@import/);
    expect((await get('/app.js')).text).not.to.match(/\bimport\(|https?:\/\/(?!www\.w3\.org)/);
  });

  describe('on a production stack', () => {
    let production: TestEngine;
    before(async () => {
      production = await startEngine(tables, parseStackConfig('prod', { 'tablewright:production': 'true' }, tables));
    });
    after(() => production?.close());

    async function onProduction<T>(args: readonly string[], work: (console: ServedConsole) => Promise<T>): Promise<T> {
      const one = await serveConsole(folder.root, ['--stack', 'prod', '--endpoint', production.endpoint, ...args]);
      try {
        return await work(one);
      } finally {
        await one.close();
      }
    }
    const outcome = async (response: Response) => [response.status, ((await response.json()) as { error?: string }).error];
    const pausedBy = async (console: ServedConsole) =>
      ((await (await console.ask('/api/migrations')).json()) as { paused: object | null }).paused;

    it('it only reads, whatever is typed', () =>
      onProduction([], async (console) => {
        expect(await (await console.ask('/api/stack')).json()).to.deep.include({ production: true, writes: false });
        for (const path of ['/api/pause', '/api/resume']) {
          expect(await outcome(await console.ask(path, { body: { confirm: 'prod' } }))).to.deep.equal([
            422,
            'REFUSED_IN_PRODUCTION',
          ]);
        }
        expect(await pausedBy(console)).to.equal(null);
      }));

    it('with --allow-writes it asks for the stack’s name', () =>
      onProduction(['--allow-writes'], async (console) => {
        for (const confirm of ['', 'dev', 'production']) {
          expect(await outcome(await console.ask('/api/pause', { body: { confirm } }))).to.deep.equal([
            422,
            'REFUSED_IN_PRODUCTION',
          ]);
        }
        expect(await pausedBy(console)).to.equal(null);
        expect((await console.ask('/api/pause', { body: { confirm: 'prod' } })).status).to.equal(200);
        expect(await pausedBy(console)).not.to.equal(null);
        expect((await console.ask('/api/resume', { body: { confirm: 'prod' } })).status).to.equal(200);
        expect(await pausedBy(console)).to.equal(null);
      }));

    it('a Scan, which is paid for, happens only when it was asked for', () =>
      onProduction([], async (console) => {
        expect(await outcome(await console.ask('/api/tables/markets/items'))).to.deep.equal([422, 'NOT_CONFIRMED']);
        expect((await console.ask('/api/tables/markets/items?asked=yes')).status).to.equal(200);
        const scanned = '/api/patterns/markets.orders.bestBids/read';
        const params = { marketId: 'mkt123' };
        expect(await outcome(await console.ask(scanned, { body: { params } }))).to.deep.equal([422, 'NOT_CONFIRMED']);
        expect((await console.ask(scanned, { body: { params, asked: true } })).status).to.equal(200);
      }));
  });

  it('says a port that is taken as every command does', async () => {
    const { port } = new URL(served.origin);
    const failed = await serveConsole(folder.root, ['--endpoint', engine.endpoint, '--port', port]).then(
      (one) => one.close(),
      (error: Error) => error.message,
    );
    expect(failed).to.match(new RegExp(`PORT_TAKEN: port ${port} of 127.0.0.1 is taken`));
  });
});
