import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { TablewrightError } from '../../tables/model/error.ts';
import { failureEvent } from '../cli/failure.js';
import { failureOfError } from '../cli/failure-of.ts';
import { isRecord } from '../core/item/dynamo-json.ts';
import { cutoverAnswer, parityAnswer } from './answer/cutover.ts';
import { itemAnswer, itemsAnswer } from './answer/items.ts';
import { migrationAnswer, migrationsAnswer, planAnswer, planSample, steerRuns } from './answer/migrations.ts';
import { explainAnswer, patternReadAnswer } from './answer/patterns.ts';
import { doctorAnswer, stackAnswer, tableFigures } from './answer/stack.ts';
import { patternsAnswer, tableAnswer } from './answer/tables.ts';
import { transfersAnswer } from './answer/transfers.ts';
import type { ConsolePages } from './bundle.ts';
import type { ConsoleEnvironment } from './console-environment.ts';
import type { ConsoleGuard } from './guard.ts';
import { LiveFeed } from './live-feed.ts';
import type { PatternRequest, Trouble } from './wire-types.ts';

/** The console as one function from requests to answers. */
export function consoleApp(environment: ConsoleEnvironment, guard: ConsoleGuard, bundle: Promise<ConsolePages>): Hono {
  const app = new Hono();
  const describe = describeFor(environment);
  app.use('*', guard.check);
  app.get('/', async (request) => request.html((await bundle).page));
  app.get('/app.js', async (request) => request.body((await bundle).script, 200, { 'Content-Type': 'text/javascript' }));
  app.get('/app.css', async (request) => request.body((await bundle).style, 200, { 'Content-Type': 'text/css' }));
  app.post('/api/session', guard.openSession);
  app.use('/api/*', guard.needSession);
  readingRoutes(app, environment, describe);
  askingRoutes(app, environment);
  liveRoute(app, new LiveFeed(environment, describe));
  app.notFound((request) =>
    request.json({ error: 'UNKNOWN_NAME', message: `there is no ${request.req.path}`, problems: [] }, 404),
  );
  app.onError((error, request) => request.json(describe(error), error instanceof TablewrightError ? 422 : 500));
  return app;
}

/** What a command would say of the error. */
function describeFor({ context: { common, project } }: ConsoleEnvironment): (error: unknown) => Trouble {
  return (error) => {
    if (error instanceof TablewrightError) {
      return failureEvent(failureOfError(error, { words: 'console', common, given: {}, project: project.name }));
    }
    const message = error instanceof Error ? error.message : String(error);
    return { error: 'INTERNAL', message, problems: [], next: 'This is a fault of tablewright itself; report it.' };
  };
}

function readingRoutes(app: Hono, environment: ConsoleEnvironment, describe: (error: unknown) => Trouble): void {
  app.get('/api/stack', (request) => request.json(stackAnswer(environment)));
  app.get('/api/doctor', async (request) => request.json(await doctorAnswer(environment)));
  app.get('/api/tables', async (request) => request.json(await tableFigures(environment)));
  app.get('/api/tables/:table', (request) => request.json(tableAnswer(environment, request.req.param('table'))));
  app.get('/api/tables/:table/items', async (request) => {
    const { size, from, asked } = request.req.query();
    const wanted = { size: Math.floor(Number(size ?? 100)) || 100, from, asked: asked === 'yes' };
    return request.json(await itemsAnswer(environment, request.req.param('table'), wanted));
  });
  app.get('/api/tables/:table/item', async (request) =>
    request.json(await itemAnswer(environment, request.req.param('table'), request.req.query('key') ?? '')),
  );
  app.get('/api/patterns', (request) => request.json(patternsAnswer(environment)));
  app.get('/api/migrations', async (request) => request.json(await migrationsAnswer(environment)));
  app.get('/api/plan', async ({ req, json }) =>
    json(await planAnswer(environment, req.query('all') === 'yes' ? undefined : planSample, req.raw.signal)),
  );
  app.get('/api/migrations/:id', async (request) => request.json(await migrationAnswer(environment, request.req.param('id'))));
  app.get('/api/cutover', async (request) => request.json(await cutoverAnswer(environment)));
  app.get('/api/transfers', async (request) => request.json(await transfersAnswer(environment, describe)));
}

/** Requests with a body: reads with parameters, and the few things that change something. */
function askingRoutes(app: Hono, environment: ConsoleEnvironment): void {
  app.post('/api/patterns/:name/read', async (request) => {
    const call = callOf(await request.req.json().catch(() => undefined));
    return request.json(await patternReadAnswer(environment, request.req.param('name'), call));
  });
  app.post('/api/patterns/:name/explain', async (request) => {
    const call = callOf(await request.req.json().catch(() => undefined));
    return request.json(await explainAnswer(environment, request.req.param('name'), call));
  });
  app.post('/api/cutover/:name/check', async (request) => {
    const body: unknown = await request.req.json().catch(() => undefined);
    const asked = isRecord(body) && body.asked === true;
    return request.json(await parityAnswer(environment, request.req.param('name'), asked, request.req.raw.signal));
  });
  for (const what of ['pause', 'resume'] as const) {
    app.post(`/api/${what}`, async (request) => {
      const body: unknown = await request.req.json().catch(() => undefined);
      const confirm = isRecord(body) && typeof body.confirm === 'string' ? body.confirm : '';
      return request.json(await steerRuns(environment, what, confirm));
    });
  }
}

function callOf(body: unknown): PatternRequest {
  const { params, size, reverse, consistent, cursor, asked } = isRecord(body) ? body : {};
  const texts = Object.entries(isRecord(params) ? params : {}).map(([name, value]) => [name, String(value)]);
  return {
    params: Object.fromEntries(texts),
    size: typeof size === 'number' ? size : undefined,
    reverse: reverse === true,
    consistent: consistent === true,
    cursor: typeof cursor === 'string' ? cursor : undefined,
    asked: asked === true,
  };
}

/** Server-sent events, one for every look at the ledger. */
function liveRoute(app: Hono, feed: LiveFeed): void {
  app.get('/api/live', (request) =>
    streamSSE(request, async (stream) => {
      await new Promise<void>((resolve) => {
        const stop = feed.watch((told) => {
          const [event, data] = 'live' in told ? ['live', told.live] : ['trouble', told.trouble];
          void stream.writeSSE({ event: String(event), data: JSON.stringify(data) });
        });
        stream.onAbort(() => {
          stop();
          resolve();
        });
      });
    }),
  );
}
