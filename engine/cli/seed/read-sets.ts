import { TablewrightError } from '../../../tables/model/error.ts';
import { RowChecker } from '../../core/seed/check-rows.ts';
import type { DeclaredRow } from '../../core/seed/declared-record.ts';
import type { SeedSet } from './find-sets.ts';
import { readFixture } from './read-fixture.ts';

export interface ReadSet {
  readonly set: SeedSet;
  /** How many rows its files hold. */
  readonly rows: number;
  /** The rows, read from the files each time that they are gone through. */
  readonly declared: AsyncIterable<DeclaredRow>;
}

/** The chosen sets, their files checked. Every problem of every file comes in one error, before anything is written. */
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
  const tables = [...chosen, ...others].flatMap((set) => set.fixtures.map(({ table }) => table));
  const checker = new RowChecker(tables, nowSeconds);
  const own: ReadSet[] = [];
  for (const set of chosen) {
    let rows = 0;
    for await (const entry of entriesOf(root, set)) {
      if ('problem' in entry) problems.push(entry.problem);
      else checker.add(entry);
      rows += 1;
    }
    own.push({ set, rows, declared: { [Symbol.asyncIterator]: () => rowsOf(root, set) } });
  }
  for (const set of others) {
    for await (const entry of entriesOf(root, set)) {
      if ('problem' in entry) problems.push(entry.problem);
      else checker.addOther(entry);
    }
  }
  problems.push(...checker.problems());
  if (problems.length > 0) throw badFiles(chosen, problems);
  return own;
}

async function* entriesOf(root: string, set: SeedSet) {
  for (const fixture of set.fixtures) yield* readFixture(fixture, { root, folder: set.folder });
}

/** The rows once more; what is wrong now was not wrong a moment ago. */
async function* rowsOf(root: string, set: SeedSet): AsyncGenerator<DeclaredRow> {
  for await (const entry of entriesOf(root, set)) {
    if ('problem' in entry) throw badFiles([set], [entry.problem]);
    yield entry;
  }
}

function badFiles(chosen: readonly SeedSet[], problems: readonly string[]): TablewrightError {
  const names = chosen.map((set) => set.name).join(', ');
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new TablewrightError('BAD_SEED', `${names}: ${count} in the files`, {
    problems,
    next: 'Correct the lines named above and run the command again; nothing was written.',
  });
}
