import { TablewrightError } from '../../../tables/model/error.ts';
import { checkRows } from '../../core/seed/check-rows.ts';
import type { DeclaredRow } from '../../core/seed/declared-record.ts';
import type { SeedSet } from './find-sets.ts';
import { readFixture } from './read-fixture.ts';

export interface ReadSet {
  readonly set: SeedSet;
  readonly declared: readonly DeclaredRow[];
}

/** The chosen sets with the rows of their files. Every problem of every file comes in one error, before anything is written. */
export async function readSets(
  root: string,
  chosen: readonly SeedSet[],
  all: readonly SeedSet[],
  nowSeconds: number,
): Promise<readonly ReadSet[]> {
  const used = [...new Set(chosen.flatMap((set) => set.uses))].filter((name) => !chosen.some((set) => set.name === name));
  const others = all.filter((set) => used.includes(set.name));
  const missing = used.filter((name) => !others.some((set) => set.name === name));
  const problems = missing.map((name) => `uses ${name}: there is no such set`);
  const read = async (set: SeedSet): Promise<ReadSet> => {
    const parts = await Promise.all(set.fixtures.map((fixture) => readFixture(fixture, { root, folder: set.folder })));
    problems.push(...parts.flatMap((part) => part.problems));
    return { set, declared: parts.flatMap((part) => part.rows) };
  };
  const own = await Promise.all(chosen.map(read));
  const rest = await Promise.all(others.map(read));
  const rows = (sets: readonly ReadSet[]) => sets.flatMap((set) => set.declared);
  problems.push(...checkRows(rows(own), rows(rest), nowSeconds));
  if (problems.length === 0) return own;
  const names = chosen.map((set) => set.name).join(', ');
  throw new TablewrightError(
    'BAD_SEED',
    `${names}: ${problems.length === 1 ? 'a problem' : `${problems.length} problems`} in the files`,
    {
      problems,
      next: 'Correct the lines named above and run the command again; nothing was written.',
    },
  );
}
