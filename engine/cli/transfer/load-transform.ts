import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import type { ItemTransform } from '../../core/transfer/line-requests.ts';
import { withOptionFile } from '../../local/file-problem.ts';
import { sha256 } from '../../local/sha256.ts';
import type { Context } from '../context.ts';
import { importDefault } from '../project/import-default.ts';

export interface LoadedTransform {
  readonly apply: ItemTransform;
  /** The file and a hash of its text: an import goes on only with the same transform. */
  readonly digest: string;
}

/** A module whose default export takes an item (raw attribute values) and gives an item, several, or nothing. */
export async function loadTransform(context: Context, file: string): Promise<LoadedTransform> {
  const path = resolve(context.root, file);
  const text = await withOptionFile('--transform', file, () => readFile(path));
  const transform = await importDefault(path).catch((error: unknown) => {
    throw new TablewrightError('BAD_ARGUMENT', `--transform ${file}: ${(error as Error).message}`, {
      cause: error,
      next: 'Correct the module.',
    });
  });
  if (typeof transform !== 'function') {
    throw new TablewrightError(
      'BAD_ARGUMENT',
      `--transform ${file}: expected a function as its default export, found ${transform === undefined ? 'none' : typeof transform}`,
      {
        next: 'For instance: export default (item) => ({ ...item, migrated: { BOOL: true } });',
      },
    );
  }
  const digest = `${file} ${sha256(text.toString()).slice(0, 16)}`;
  return { apply: (item) => itemsOf((transform as (item: Item) => unknown)(item)), digest };
}

function itemsOf(result: unknown): readonly Item[] {
  if (result === undefined || result === null) return [];
  const items = Array.isArray(result) ? (result as readonly unknown[]) : [result];
  for (const item of items) {
    if (typeof item === 'object' && item !== null && !Array.isArray(item)) continue;
    throw new TypeError(`expected an item, a list of items or nothing, found ${typeof item}`);
  }
  return items as readonly Item[];
}
