import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proveCutover } from '../../engine/cli/cutover/prove-cutover.ts';
import { loadMigrations } from '../../engine/cli/migrate/load-migrations.ts';
import { openMigrateSession } from '../../engine/cli/migrate/migrate-environment.ts';
import { runPendingMigrations } from '../../engine/cli/migrate/run-pending.ts';
import { sleep } from '../../engine/cli/read-environment.ts';
import { findSets } from '../../engine/cli/seed/find-sets.ts';
import { readSets } from '../../engine/cli/seed/read-sets.ts';
import { openSeedSession } from '../../engine/cli/seed/seed-environment.ts';
import type { Counts } from '../../engine/core/migrate/counts.ts';
import { compareStack } from '../../engine/core/tables/compare-stack.ts';
import { runRollback } from '../../engine/run/migrate/rollback/run-rollback.ts';
import { readAll } from '../../engine/run/read/read-pattern.ts';
import { loadSet } from '../../engine/run/seed/load-set.ts';
import { ensureTable } from '../../engine/run/tables/ensure-tables.ts';
import { runOperation } from '../../engine/run/write/run-operation.ts';
import type { AttributeValue, Item } from '../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../tables/model/canonical.ts';
import type { Operation } from '../../tables/model/operation.ts';
import type { Pattern, PatternParams } from '../../tables/model/pattern.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import { keyParts, type Table } from '../../tables/model/table.ts';
import { tables as catalogue } from '../support/project.ts';
import { exportTo, importFrom } from '../support/transfer-bed.ts';
import { operationCalls } from './operations.ts';
import { contentsOf, systemTables, type World } from './world.ts';

/** One thing that the toolkit does. What it answers has to be the same on every server. */
export interface Step {
  readonly name: string;
  readonly run: (world: World) => Promise<unknown>;
}

/** Items that TTL takes are counted by an engine that has not taken them yet. */
function withoutExpired({ expired, scanned, ...counts }: Counts): Omit<Counts, 'expired'> {
  return { ...counts, scanned: scanned - expired };
}

async function seed({ context, stack, nowSeconds }: World) {
  const all = await findSets(context);
  const sets = await readSets(context.root, all, all, nowSeconds);
  const session = openSeedSession(stack, { root: context.root, emit: () => undefined, signal: context.signal });
  try {
    const reports = [];
    for (const { set, declared } of sets) {
      const options = { name: set.name, times: set.times, declared, overwrite: false, prune: false, dryRun: false };
      reports.push(await loadSet({ ...session.environment, nowSeconds: () => nowSeconds }, options));
    }
    return reports.map(({ set, outcome, counts, written, deadLettered }) => ({ set, outcome, counts, written, deadLettered }));
  } finally {
    await session.close();
  }
}

async function migrate({ context, stack }: World) {
  const { outcome, results } = await runPendingMigrations(context, stack);
  return { outcome, results: results.map(({ id, state, counts }) => ({ id, state, counts: withoutExpired(counts) })) };
}

async function rollback({ context, stack }: World) {
  const session = openMigrateSession(stack, { root: context.root, emit: () => undefined, signal: context.signal });
  try {
    const sources = await loadMigrations(context);
    const { outcome, results } = await runRollback(session.environment, sources, '0', context.signal);
    return { outcome, results: results.map(({ id, outcome: one, counts }) => ({ id, outcome: one, counts })) };
  } finally {
    session.close();
  }
}

/** DynamoDB gives items of one index key in no given order: those that are equal in it are sorted here. */
function settleTies(table: Table, { index }: Pattern, items: readonly Item[]): readonly string[] {
  const key = index === undefined ? table.key : table.indexes.find(({ name }) => name === index);
  const sorting = key === undefined ? [] : keyParts(key).range.map(({ name }) => name);
  const placeOf = (item: Item) => canonicalItem(Object.fromEntries(sorting.flatMap((name) => keyPart(item, name))));
  const places = [...new Set(items.map(placeOf))];
  return items
    .map((item) => ({ at: places.indexOf(placeOf(item)), text: canonicalItem(item) }))
    .toSorted((a, b) => a.at - b.at || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);
}

function keyPart(item: Item, name: string): [string, AttributeValue][] {
  const value = item[name];
  return value === undefined ? [] : [[name, value]];
}

async function patterns({ stack }: World) {
  const answers: Record<string, readonly string[]> = {};
  for (const table of stack.tables) {
    for (const pattern of Object.values(table.patterns)) {
      const { items } = await readAll(stack.read, pattern, pattern.example);
      answers[pattern.name] = settleTies(table, pattern, items);
    }
  }
  return answers;
}

async function transfer({ server, stack, copy }: World) {
  const folder = await mkdtemp(join(tmpdir(), 'tablewright-conformance-'));
  const client = stack.client;
  const at = (one: typeof stack) => ({ ...one, endpoint: server.endpoint, client, environment: one.read });
  try {
    const answers: Record<string, unknown> = {};
    for (const table of catalogue) await ensureTable({ store: copy.store, config: copy.config, sleep }, table);
    for (const table of systemTables) {
      const { place, result } = await exportTo(at(stack) as never, table, join(folder, table.name));
      const { result: imported, letters } = await importFrom(at(copy) as never, table, place);
      answers[table.name] = { exported: result.items > 0, verified: imported.verified, letters };
    }
    return { answers, contents: await contentsOf(copy) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const steps: readonly Step[] = [
  {
    name: 'up: every table is as the catalogue says',
    run: async ({ stack }) => {
      const lacks = await stack.lacks();
      const environment = { store: stack.store, config: stack.config, sleep, ...(lacks === undefined ? {} : { lacks }) };
      const pairs = [];
      for (const table of stack.tables) {
        await ensureTable(environment, table);
        pairs.push({ table, found: await stack.store.describeTable(physicalName(table, stack.config)) });
      }
      return compareStack(pairs, stack.config, lacks).differences;
    },
  },
  { name: 'seeds', run: async (world) => ({ sets: await seed(world), contents: await contentsOf(world.stack) }) },
  { name: 'seeds again', run: seed },
  { name: 'all migrations', run: async (world) => ({ ...(await migrate(world)), contents: await contentsOf(world.stack) }) },
  { name: 'all patterns', run: patterns },
  {
    name: 'cut-over',
    run: async ({ context, stack }) => (await proveCutover(context, stack)).map(({ pattern, outcome }) => ({ pattern, outcome })),
  },
  { name: 'rollback', run: async (world) => ({ ...(await rollback(world)), contents: await contentsOf(world.stack) }) },
  { name: 'migrations after it', run: async (world) => ({ ...(await migrate(world)), contents: await contentsOf(world.stack) }) },
  {
    name: 'operations',
    run: async (world) => {
      const outcomes = [];
      for (const { operation, params } of operationCalls(world.nowSeconds)) {
        outcomes.push([
          operation.name,
          await runOperation(world.stack.read, operation as unknown as Operation<PatternParams>, params as never),
        ]);
      }
      return { outcomes, contents: await contentsOf(world.stack) };
    },
  },
  { name: 'export and import', run: transfer },
];
