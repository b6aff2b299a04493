import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../local/make-folder.ts';
import { writeFile } from '../../local/write-file.ts';
import type { Action } from '../context.ts';
import { migrationsFolder } from '../migrate/load-migrations.ts';
import { migrationSkeleton, testSkeleton } from '../migrate/skeleton.ts';
import type spec from './migration-new.spec.js';

const testsFolder = 'tests/migrations';

/** Writes the next migration's skeleton, and its test. */
const newMigration: Action<typeof spec> = async (context, { name }) => {
  const files = await readdir(join(context.root, migrationsFolder)).catch(() => []);
  const last = Math.max(0, ...files.map((file) => Number(/^(\d{4})-/.exec(file)?.[1] ?? 0)));
  const id = `${String(last + 1).padStart(4, '0')}-${name}`;
  const written = [
    { path: `${migrationsFolder}/${id}.ts`, text: migrationSkeleton(id) },
    { path: `${testsFolder}/${id}.test.ts`, text: testSkeleton(id) },
  ];
  for (const { path, text } of written) {
    await makeFolder(join(context.root, path, '..'));
    await writeFile(join(context.root, path), text, { flag: 'wx' });
  }
  context.output.result({ id, files: written.map(({ path }) => path) }, () =>
    [
      ...written.map(({ path }) => `wrote ${path}`),
      `→ Fill it in; 'node --import tsx node_modules/mocha/bin/mocha.js ${testsFolder}/${id}.test.ts' proves it, 'tablewright plan' shows what it would do.`,
    ].join('\n'),
  );
  return 0;
};

export default newMigration;
