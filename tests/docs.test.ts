import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('..', import.meta.url));

const pages = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Files and folders of the repository that a page names in backticks, as `engine/core/store/store.ts` or `seeds/`. */
function namedPaths(text: string): readonly string[] {
  const folders = 'engine|tables|infra|migrations|seeds|tests|bench|examples|docs';
  return [...text.matchAll(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'))].flatMap(([, path]) => path ?? []);
}

/** What a page tells its reader to make, not where something lies. */
const toBeMade = new Set(['tables/audit/audit-log.ts', 'migrations/NNNN-verb-noun.ts']);

describe('the documentation', () => {
  for (const page of pages) {
    it(`${page} names only files and folders that exist`, () => {
      const missing = namedPaths(textOf(page)).filter((path) => !toBeMade.has(path) && !existsSync(join(root, path)));
      expect(missing).to.deep.equal([]);
    });
  }
});
