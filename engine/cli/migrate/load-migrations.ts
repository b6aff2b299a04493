import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { Migration } from '../../core/migrate/define-migration.ts';
import { checkMigrationSet, type MigrationSource } from '../../core/migrate/migration-set.ts';
import { readFolder } from '../../local/read-folder.ts';
import { readTextFile } from '../../local/read-text-file.ts';
import { sha256 } from '../../local/sha256.ts';

export const migrationsFolder = 'migrations';

/** The migrations of the repository, in order, checked. */
export async function loadMigrations(root: string, catalogue: readonly Table[]): Promise<readonly MigrationSource[]> {
  const folder = join(root, migrationsFolder);
  const sources = await Promise.all((await filesIn(folder)).map((file) => loadMigration(folder, file)));
  return checkMigrationSet(sources, catalogue);
}

/** Those that can be loaded, for work that needs no more; the others each with the error that says why. */
export async function loadWhatLoads(
  root: string,
): Promise<{ readonly sources: readonly MigrationSource[]; readonly failures: readonly TablewrightError[] }> {
  const folder = join(root, migrationsFolder);
  const loaded = await Promise.all(
    (await filesIn(folder)).map((file) =>
      loadMigration(folder, file).catch((error: unknown) => {
        if (error instanceof TablewrightError) return error;
        throw error;
      }),
    ),
  );
  const sources = loaded.flatMap((one) => (one instanceof TablewrightError ? [] : [one]));
  return { sources, failures: loaded.filter((one) => one instanceof TablewrightError) };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  return (await readFolder(folder)).filter((file) => file.endsWith('.ts')).toSorted();
}

async function loadMigration(folder: string, file: string): Promise<MigrationSource> {
  const path = join(folder, file);
  const text = await readTextFile(path);
  const loaded = await import(pathToFileURL(path).href).catch((error: unknown) => {
    throw new TablewrightError('BAD_MIGRATION', `${migrationsFolder}/${file} cannot be loaded: ${(error as Error).message}`, {
      cause: error,
      next: `Correct ${migrationsFolder}/${file}; 'npx tsc' shows what is wrong in it.`,
    });
  });
  const migration = (loaded as { readonly default?: Migration }).default;
  if (migration?.id === undefined || migration.steps === undefined) {
    throw new TablewrightError(
      'BAD_MIGRATION',
      `${migrationsFolder}/${file}: expected a default export made by defineMigration`,
      {
        next: `Write 'export default defineMigration({ … })'; 'tablewright migration new NAME' makes a skeleton.`,
      },
    );
  }
  return { file, migration, checksum: checksumOf(text) };
}

/** Line ends are made equal, so that a checkout on another system has the same checksum. */
export function checksumOf(text: string): string {
  return sha256(text.replaceAll('\r\n', '\n'));
}
