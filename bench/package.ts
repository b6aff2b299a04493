import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { openDynamo } from '../engine/local/local-engine.ts';
import { type InstalledProject, installProject, packRepository } from '../tests/package/installed-project.ts';
import { median, table } from './load/report.ts';

/**
 * `npm run bench:package [-- --starts N]`: what the package costs an application. The tarball is installed in an empty folder, a
 * function with a reader is bundled by the commands of docs/package.md, and each start is a process of its own. The exit code is 1
 * where a figure is not below its limit.
 */
const { values } = parseArgs({ options: { starts: { type: 'string', default: '15' } } });
const limits = { installedMegabytes: 40, bundleBytes: 1_000_000, coldStartMs: 150 };

/** As a function is written: the reader is opened while the module is loaded, and used by the handler. */
const handler = `import { openReader } from 'tablewright';
import project from './tablewright.config.ts';

const reader = openReader(project, { stack: 'dev', region: 'eu-central-1', endpoint: process.env.DYNAMO_ENDPOINT, follow: 'query' });

export async function handle(): Promise<string | undefined> {
  return (await reader.first('shop.parcels.byId', { id: 'p1' }))?.id;
}
`;

/** Loads a bundle as a runtime does, and tells the milliseconds until its reader is open, and of the first read after that. */
const starter = `import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
const require = createRequire(import.meta.url);
const bundle = process.argv[2];
const begin = performance.now();
const before = process.cpuUsage();
const { handle } = bundle.endsWith('.cjs') ? require(bundle) : await import(pathToFileURL(bundle).href);
const open = performance.now();
const { user, system } = process.cpuUsage(before);
const id = await handle();
if (id !== 'p1') throw new Error('read ' + id);
console.log(JSON.stringify({ open: open - begin, processor: (user + system) / 1000, first: performance.now() - open }));
process.exit(0);
`;

interface Start {
  readonly open: number;
  /** Of the time until it is open, what other work on the machine does not change. */
  readonly processor: number;
  readonly first: number;
}

async function startsOf(project: InstalledProject, bundle: string, endpoint: string): Promise<readonly Start[]> {
  const starts: Start[] = [];
  // The first one warms the file cache of the machine, and does not count.
  for (let n = 0; n <= Number(values.starts); n += 1) {
    const env = {
      ...process.env,
      DYNAMO_ENDPOINT: endpoint,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
    const args = ['starter.mjs', join(project.root, bundle)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project.root, env });
    if (n > 0) starts.push(JSON.parse(stdout) as Start);
  }
  return starts;
}

const folder = await mkdtemp(join(tmpdir(), 'tablewright-bench-package-'));
const project = await installProject(await packRepository(folder), 'module');
const service = await openDynamo({ data: { kind: 'memory' } });
try {
  await writeFile(join(project.root, 'handler.ts'), handler);
  await writeFile(join(project.root, 'starter.mjs'), starter);
  const up = await project.tablewright('up', '--endpoint', service.endpoint);
  if (up.code !== 0) throw new Error(up.stderr);
  let isBelow = project.megabytes < limits.installedMegabytes;
  const lines: string[][] = [];
  for (const bundle of await project.bundle('handler')) {
    const { size } = await stat(join(project.root, bundle));
    const starts = await startsOf(project, bundle, service.endpoint);
    const open = median(starts.map((start) => start.open));
    const slowest = Math.max(...starts.map((start) => start.open));
    isBelow &&= size < limits.bundleBytes && open < limits.coldStartMs;
    const processor = median(starts.map((start) => start.processor));
    const first = median(starts.map((start) => start.first));
    lines.push([
      bundle,
      `${Math.round(size / 1_000)} kB`,
      ...[open, slowest, processor, first].map((ms) => `${ms.toFixed(0)} ms`),
    ]);
  }
  const header = ['bundle', 'size', 'cold start', 'slowest', 'of the processor', 'first read after it'];
  const sentence = `node_modules of an application: ${project.megabytes} MB (limit ${limits.installedMegabytes})`;
  const note = `Medians of ${values.starts} processes; limits: ${limits.bundleBytes / 1_000} kB, ${limits.coldStartMs} ms.`;
  process.stdout.write(`${sentence}\n${table(header, lines)}\n${note}\n`);
  process.exitCode = isBelow ? 0 : 1;
} finally {
  await service.release();
  await project.remove();
  await rm(folder, { recursive: true, force: true });
}
