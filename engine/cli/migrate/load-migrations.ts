import { join } from 'node:path';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { Migration } from '../../core/migrate/define-migration.ts';
import { checkMigrationSet, type MigrationSource } from '../../core/migrate/migration-set.ts';
import { readFolder } from '../../local/read-folder.ts';
import { readTextFile } from '../../local/read-text-file.ts';
import { sha256 } from '../../local/sha256.ts';
import type { Context } from '../context.ts';
import { importDefault } from '../project/import-default.ts';

type Place = Pick<Context, 'root' | 'project'>;

/** The migrations of the project, in order, checked. */
export async function loadMigrations(place: Place & Pick<Context, 'catalogue'>): Promise<readonly MigrationSource[]> {
  const sources = await Promise.all((await filesIn(place)).map((file) => loadMigration(place, file)));
  return checkMigrationSet(sources, place.catalogue);
}

/** Those that can be loaded, for work that needs no more; the others each with the error that says why. */
export async function loadWhatLoads(
  place: Place,
): Promise<{ readonly sources: readonly MigrationSource[]; readonly failures: readonly TablewrightError[] }> {
  const loaded = await Promise.all(
    (await filesIn(place)).map((file) =>
      loadMigration(place, file).catch((error: unknown) => {
        if (error instanceof TablewrightError) return error;
        throw error;
      }),
    ),
  );
  const sources = loaded.flatMap((one) => (one instanceof TablewrightError ? [] : [one]));
  return { sources, failures: loaded.filter((one) => one instanceof TablewrightError) };
}

async function filesIn({ root, project }: Place): Promise<readonly string[]> {
  return (await readFolder(join(root, project.migrations))).filter((file) => file.endsWith('.ts')).toSorted();
}

async function loadMigration({ root, project }: Place, file: string): Promise<MigrationSource> {
  const shown = `${project.migrations}/${file}`;
  const path = join(root, shown);
  const text = await readTextFile(path);
  const loaded = await importDefault(path).catch((error: unknown) => {
    throw new TablewrightError('BAD_MIGRATION', `${shown} cannot be loaded: ${(error as Error).message}`, {
      cause: error,
      next: `Correct ${shown}; 'npx tsc' shows what is wrong in it.`,
    });
  });
  const migration = loaded as Migration | undefined;
  if (migration?.id === undefined || migration.steps === undefined) {
    throw new TablewrightError('BAD_MIGRATION', `${shown}: expected a default export made by defineMigration`, {
      next: `Write 'export default defineMigration({ … })'; 'tablewright migration new NAME --table TABLE' makes a skeleton.`,
    });
  }
  return { file, migration, checksum: checksumOf(text) };
}

/** Line ends are made equal, so that a checkout on another system has the same checksum. */
export function checksumOf(text: string): string {
  return sha256(text.replaceAll('\r\n', '\n'));
}
