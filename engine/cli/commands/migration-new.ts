import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { Table } from '../../../tables/model/table.ts';
import { nameAdvice } from '../../core/show/name-advice.ts';
import { makeFolder } from '../../local/make-folder.ts';
import { readFolder } from '../../local/read-folder.ts';
import { writeFile } from '../../local/write-file.ts';
import type { Action, Context } from '../context.ts';
import { migrationSkeleton, type TestRunner, testSkeleton } from '../migrate/skeleton.ts';
import type spec from './migration-new.spec.js';

/** A folder of their own where the project has one, else beside the test that `init` wrote: 'npm test' runs both. */
const testFolders = ['tests/migrations', 'tests'] as const;

/** Writes the next migration's skeleton, and its test. */
const newMigration: Action<typeof spec> = async (context, { name, table: wanted }) => {
  const { table, exported } = tableNamed(context, wanted);
  const folder = context.project.migrations;
  const files = await readFolder(join(context.root, folder));
  const last = Math.max(0, ...files.map((file) => Number(/^(\d{4})-/.exec(file)?.[1] ?? 0)));
  const id = `${String(last + 1).padStart(4, '0')}-${name}`;
  const file = `${folder}/${id}.ts`;
  const runner = await runnerOf(context);
  const test = `${testFolders.find((name) => existsSync(join(context.root, name))) ?? testFolders[1]}/${id}.test.ts`;
  const written = [
    { path: file, text: migrationSkeleton({ id, table, exported, file }) },
    { path: test, text: testSkeleton({ id, table, exported, file, test, runner }) },
  ];
  await writeBoth(written.map(({ path, text }) => ({ path: join(context.root, path), text })));
  context.output.result({ id, files: written.map(({ path }) => path) }, () =>
    [
      ...written.map(({ path }) => `wrote ${path}`),
      `→ Write its change: until then it is not run, and its test fails. '${runners[runner]} ${test}' proves it, 'tablewright plan' shows what it would do.`,
    ].join('\n'),
  );
  return 0;
};

const runners: Readonly<Record<TestRunner, string>> = {
  mocha: 'node --import tsx node_modules/mocha/bin/mocha.js',
  'node:test': 'node --import tsx --test',
};

async function runnerOf({ root }: Context): Promise<TestRunner> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => '{}');
  const { devDependencies = {} } = JSON.parse(text) as { readonly devDependencies?: object };
  return 'mocha' in devDependencies ? 'mocha' : 'node:test';
}

/** All of them or none: a migration without its test would be taken for written. */
async function writeBoth(files: readonly { readonly path: string; readonly text: string }[]): Promise<void> {
  for (const { path } of files) await makeFolder(join(path, '..'));
  const done: string[] = [];
  try {
    for (const { path, text } of files) {
      await writeFile(path, text, { flag: 'wx' });
      done.push(path);
    }
  } catch (error) {
    for (const path of done) await rm(path, { force: true });
    throw error;
  }
}

/** A table of the catalogue, and the name that it is imported by. The ledger is nobody's to migrate. */
function tableNamed({ project }: Context, wanted: string): { readonly table: Table; readonly exported: string } {
  const all = Object.entries(project.tables);
  const [exported, table] = all.find(([name, one]) => name === wanted || one.name === wanted) ?? [];
  if (exported !== undefined && table !== undefined) return { table, exported };
  throw new TablewrightError('UNKNOWN_NAME', `there is no table ${wanted}`, {
    next: nameAdvice(
      wanted,
      all.map(([, one]) => one.name),
      all.map(([name]) => name),
    ),
  });
}

export default newMigration;
