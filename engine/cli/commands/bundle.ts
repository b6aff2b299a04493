import { join, relative, resolve } from 'node:path';
import { showNumber } from '../../core/show/numbers.ts';
import { writeFile } from '../../local/write-file.ts';
import type { Action } from '../context.ts';
import { makeBundle } from '../lambda/make-bundle.ts';
import { loadMigrations } from '../migrate/load-migrations.ts';
import type spec from './bundle.spec.js';

const bundle: Action<typeof spec> = async (context, { to }) => {
  const path = to === undefined ? join(context.root, 'tablewright.zip') : resolve(context.cwd, to);
  const { zip, files } = await makeBundle({
    root: context.root,
    folder: context.project.migrations,
    migrations: await loadMigrations(context),
  });
  await writeFile(path, zip);
  const shown = relative(context.root, path) || path;
  context.output.result({ file: path, bytes: zip.length, files }, () =>
    [
      `${shown}: ${showNumber(Math.ceil(zip.length / 1024))} KB, with ${files.join(', ')}`,
      `→ Deploy it with 'npx pulumi up', where tablewright:schedules or tablewright:runner asks for it; make it again when the catalogue, a migration or a stack file changes.`,
    ].join('\n'),
  );
  return 0;
};

export default bundle;
