import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dynamoClient } from '../engine/aws/clients.ts';
import { dynamoStore } from '../engine/aws/store/dynamo-store.ts';
import { sleep } from '../engine/cli/read-environment.ts';
import { readStack } from '../engine/cli/read-stack.ts';
import { openDynamo } from '../engine/local/local-engine.ts';
import { ensureTable } from '../engine/run/tables/ensure-tables.ts';
import { physicalName, type StackConfig } from '../tables/model/stack/stack-config.ts';
import type { Table } from '../tables/model/table.ts';
import { project, tables } from '../tests/support/project.ts';
import { repository, runCli } from '../tests/support/run-cli.ts';
import { table as render } from './load/report.ts';
import { runStep } from './transfer/run-step.ts';

/**
 * Export, import and comparison of every table of every system, filled by `seed --volume`. The commands run as a user runs
 * them; the comparison reads both tables whole and trusts neither command.
 */
const systems = [...new Set(tables.map((table) => table.system))].filter((system) => system !== 'tablewright');
const { values: options } = parseArgs({
  options: {
    volume: { type: 'string', default: '100000' },
    systems: { type: 'string', default: systems.join(',') },
  },
});

interface Row {
  readonly system: string;
  readonly table: string;
  readonly items: number;
  readonly exportSeconds: number;
  readonly importSeconds: number;
  readonly same: boolean;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function command(root: string, args: readonly string[]): Promise<{ readonly seconds: number; readonly said: string }> {
  const start = performance.now();
  const { code, stdout, stderr } = await runCli(root, args);
  if (code !== 0) throw new Error(`tablewright ${args.join(' ')}: exit code ${code}\n${stderr}`);
  return { seconds: (performance.now() - start) / 1_000, said: stdout.trim() };
}

async function openEmpty(config: StackConfig) {
  const engine = await openDynamo({ data: { kind: 'memory' } });
  const client = dynamoClient({ region: config.region, endpoint: engine.endpoint });
  for (const table of tables) await ensureTable({ store: dynamoStore(client), config, sleep }, table);
  client.destroy();
  return engine;
}

async function measure(root: string, config: StackConfig, system: string): Promise<readonly Row[]> {
  const source = await openEmpty(config);
  const target = await openEmpty(config);
  try {
    const at = (endpoint: string): readonly string[] => ['--stack', 'local', '--endpoint', endpoint, '--quiet'];
    const seeded = await command(root, ['seed', '--system', system, '--volume', options.volume, ...at(source.endpoint)]);
    say(`${system}: seeded in ${seeded.seconds.toFixed(0)} s`);
    const rows: Row[] = [];
    for (const one of tables.filter((table) => table.system === system)) {
      const to = join(root, 'out', one.name);
      const exported = await command(root, ['export', one.name, '--to', to, ...at(source.endpoint)]);
      const imported = await command(root, ['import', to, '--table', one.name, ...at(target.endpoint)]);
      const row = await compare(one, config, source.endpoint, target.endpoint);
      say(`${system}: ${one.name}, ${row.items} items, ${row.same ? 'the same' : 'DIFFERENT'}`);
      rows.push({ system, table: one.name, ...row, exportSeconds: exported.seconds, importSeconds: imported.seconds });
    }
    return rows;
  } finally {
    await Promise.all([source.release(), target.release()]);
  }
}

async function compare(table: Table, config: StackConfig, source: string, target: string) {
  const digest = (endpoint: string) =>
    runStep({ kind: 'digest', endpoint, table: physicalName(table, config), directory: '', count: 0 });
  const [before, after] = [await digest(source), await digest(target)];
  return { items: before.items, same: before.digest === after.digest && before.items === after.items };
}

const root = await mkdtemp(join(tmpdir(), 'tablewright-roundtrip-'));
try {
  const files = (await readdir(repository)).filter((name) => /^Pulumi\..*yaml$|^seeds$|^migrations$/.test(name));
  for (const name of files) await symlink(join(repository, name), join(root, name));
  const config = await readStack('local', root, tables, project);
  const rows: Row[] = [];
  for (const system of options.systems.split(',')) rows.push(...(await measure(root, config, system)));
  const header = ['system', 'table', 'items', 'export', 'import', 'every item the same'];
  const lines = rows.map(({ system, table, items, exportSeconds, importSeconds, same }) => [
    system,
    table,
    items.toLocaleString('en'),
    `${exportSeconds.toFixed(1)} s`,
    `${importSeconds.toFixed(1)} s`,
    same ? 'yes' : 'NO',
  ]);
  process.stdout.write(`${render(header, lines)}\n`);
  process.exitCode = rows.every((row) => row.same) ? 0 : 1;
} finally {
  await rm(root, { recursive: true, force: true });
}
