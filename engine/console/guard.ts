import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler, Context as Request } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

/** Where the console listens, and nowhere else. */
export const consoleHost = '127.0.0.1';

/** Only what this server serves itself: no inline script or style, no frame, nothing from outside. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/**
 * Who may ask. The link holds a token in its fragment, which browsers send nowhere; the page gives it back for a cookie. Cookies are
 * shared by all ports of a host, so its name has the port in it, and its value is another secret than the link's.
 */
export class ConsoleGuard {
  readonly token = randomBytes(24).toString('base64url');
  readonly #session = randomBytes(24).toString('base64url');
  readonly #port: () => number;

  constructor(port: () => number) {
    this.#port = port;
  }

  get cookieName(): string {
    return `tablewright-${this.#port()}`;
  }

  /** Of every request, before anything else is looked at. */
  readonly check: MiddlewareHandler = async (request, next) => {
    const problem = this.#problem(request);
    if (problem === undefined) await next();
    else request.res = request.json({ error: 'REFUSED', message: problem, problems: [] }, 403);
    for (const [name, value] of Object.entries(headers)) request.res.headers.set(name, value);
  };

  /** Of every request for data. */
  readonly needSession: MiddlewareHandler = async (request, next) => {
    if (!same(getCookie(request, this.cookieName) ?? '', this.#session)) {
      const message = 'this browser has no session of this console: open the link that the command printed';
      return request.json({ error: 'NO_SESSION', message, problems: [] }, 401);
    }
    return next();
  };

  /** Exchanges the link's token for the cookie. */
  readonly openSession = async (request: Request): Promise<Response> => {
    const body: unknown = await request.req.json().catch(() => undefined);
    const given = typeof body === 'object' && body !== null && 'token' in body ? String(body.token) : '';
    if (!same(given, this.token)) {
      return request.json({ error: 'NO_SESSION', message: 'the token is not that of this console', problems: [] }, 401);
    }
    setCookie(request, this.cookieName, this.#session, { httpOnly: true, sameSite: 'Strict', path: '/' });
    return request.json({ opened: true });
  };

  #problem({ req }: Request): string | undefined {
    const hosts = [consoleHost, 'localhost'].map((host) => `${host}:${this.#port()}`);
    // A name of somebody else's that leads here, as DNS rebinding makes it, is in the Host header.
    const host = req.header('host') ?? '';
    if (!hosts.includes(host)) return `the Host header is ${JSON.stringify(host)}, expected ${hosts.join(' or ')}`;
    const origin = req.header('origin');
    if (origin !== undefined && origin !== `http://${host}`) return 'the request comes from another origin';
    const site = req.header('sec-fetch-site');
    const isPage = req.method === 'GET' && !req.path.startsWith('/api/');
    // `none` is what the address bar sends. From another site not even the page is for the taking.
    if (site !== undefined && site !== 'same-origin' && !(isPage && site === 'none')) {
      return 'the request comes from another site';
    }
    if (req.method === 'GET' || req.method === 'HEAD') return undefined;
    if (req.method !== 'POST') return `${req.method} is not taken`;
    // What a form of another page can send without asking is never JSON.
    return req.header('content-type')?.startsWith('application/json') === true ? undefined : 'expected JSON';
  }
}

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
