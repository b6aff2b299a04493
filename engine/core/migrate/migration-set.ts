import { TablewrightError } from '../../../tables/model/error.ts';
import { keyAttributes, type Table } from '../../../tables/model/table.ts';
import { epochSecondsOf } from '../../../tables/model/time.ts';
import { isPass, type Migration, phaseOf, phases, type Step } from './define-migration.ts';

/** A migration as it was found on disk. */
export interface MigrationSource {
  /** The file's name: `0001-index-oms-config.ts`. */
  readonly file: string;
  readonly migration: Migration;
  /** Of the file's text, line ends made equal. */
  readonly checksum: string;
}

export const migrationFileName = /^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/;

export const numberOf = (id: string): number => Number(id.slice(0, 4));

/** The set in its order; every problem of names, numbers, needs and steps is reported at once. */
export function checkMigrationSet(sources: readonly MigrationSource[], catalogue: readonly Table[]): readonly MigrationSource[] {
  const ordered = sources.toSorted((a, b) => (a.migration.id < b.migration.id ? -1 : 1));
  const problems = [
    ...ordered.flatMap(nameProblems),
    ...numberProblems(ordered),
    ...needProblems(ordered),
    ...cycleProblems(ordered),
    ...ordered.flatMap(phaseProblems),
    ...ordered.flatMap(({ file, migration }) => stepProblems(file, migration, catalogue, droppedIn(ordered))),
  ];
  if (problems.length === 0) return ordered;
  throw new TablewrightError('BAD_MIGRATION', 'the migrations in migrations/ do not fit together', {
    problems,
    next: 'Correct the file that each line names.',
  });
}

function nameProblems({ file, migration }: MigrationSource): readonly string[] {
  if (!migrationFileName.test(file)) return [`${file}: expected a name like 0001-verb-noun.ts`];
  const wanted = file.slice(0, -'.ts'.length);
  return migration.id === wanted ? [] : [`${file}: expected the id ${wanted}, found ${migration.id}`];
}

function numberProblems(sources: readonly MigrationSource[]): readonly string[] {
  return sources.flatMap(({ file, migration }, at) => {
    const previous = sources[at - 1];
    if (previous === undefined || numberOf(previous.migration.id) !== numberOf(migration.id)) return [];
    return [`${file}: the number ${migration.id.slice(0, 4)} is taken by ${previous.file}`];
  });
}

function needProblems(sources: readonly MigrationSource[]): readonly string[] {
  const known = new Set(sources.map(({ migration }) => migration.id));
  return sources.flatMap(({ file, migration }) =>
    migration.needs.migrations.flatMap((id) => {
      if (!known.has(id)) return [`${file}: needs ${id}, which is not in migrations/`];
      if (id !== migration.id && id > migration.id) return [`${file}: needs ${id}, which comes after it; give it a lower number`];
      return [];
    }),
  );
}

function phaseProblems({ file, migration }: MigrationSource): readonly string[] {
  const phase: string = phaseOf(migration);
  const known: readonly string[] = phases;
  return known.includes(phase) ? [] : [`${file}: phase: expected ${phases.join(' or ')}, found ${phase}`];
}

function cycleProblems(sources: readonly MigrationSource[]): readonly string[] {
  const needs = new Map(sources.map(({ migration }) => [migration.id, migration.needs.migrations]));
  const cycles = new Map<string, string>();
  const visit = (id: string, path: readonly string[]): void => {
    const at = path.indexOf(id);
    if (at !== -1) {
      const cycle = path.slice(at);
      const members = cycle.toSorted().join();
      if (!cycles.has(members)) cycles.set(members, [...cycle, id].join(' → '));
      return;
    }
    for (const next of needs.get(id) ?? []) visit(next, [...path, id]);
  };
  for (const id of needs.keys()) visit(id, []);
  return [...cycles.values()].map((cycle) => `${cycle}: each needs the other`);
}

/** Indexes that some migration drops, as `table.index`. */
function droppedIn(sources: readonly MigrationSource[]): ReadonlySet<string> {
  const steps = sources.flatMap(({ migration }) => migration.steps);
  return new Set(steps.flatMap((step) => (step.kind === 'drop-index' ? [`${step.table.name}.${step.index}`] : [])));
}

function stepProblems(
  file: string,
  migration: Migration,
  catalogue: readonly Table[],
  dropped: ReadonlySet<string>,
): readonly string[] {
  if (migration.steps.length === 0) return [`${file}: expected at least one step, found none`];
  const known = new Set(catalogue.map(({ name }) => name));
  const tables = migration.steps.flatMap((step) => ('table' in step ? [step.table.name] : []));
  return [
    ...tables.filter((name) => !known.has(name)).map((name) => `${file}: ${name} is no table of the catalogue`),
    ...migration.steps.flatMap((step) => indexProblems(file, step, dropped)),
    ...migration.needs.indexes.flatMap(({ table, indexes }) => missingIndexes(file, table, indexes, dropped)),
    ...migration.steps.flatMap((step) => entityProblems(file, step)),
    ...migration.steps.flatMap((step) => markProblems(file, step)),
    ...migration.steps.flatMap((step) => proofProblems(file, step)),
  ];
}

function indexProblems(file: string, step: Step, dropped: ReadonlySet<string>): readonly string[] {
  if (step.kind === 'wait-for-index') return missingIndexes(file, step.table, step.indexes, dropped);
  if (step.kind === 'add-index') return missingIndexes(file, step.table, [step.index], dropped);
  // A name that is none would move nobody, and the drop of the other index comes next.
  return step.kind === 'cutover' && step.to !== undefined ? missingIndexes(file, step.to.table, [step.to.index], dropped) : [];
}

/** An index that a later migration drops need not be in the catalogue any more. */
function missingIndexes(
  file: string,
  table: Pick<Table, 'name' | 'indexes'>,
  indexes: readonly string[],
  dropped: ReadonlySet<string>,
): readonly string[] {
  const known = table.indexes.map(({ name }) => name);
  return indexes
    .filter((name) => !known.includes(name) && !dropped.has(`${table.name}.${name}`))
    .map((name) => `${file}: ${table.name} has no index ${name}; expected one of ${known.join(', ') || 'none'}`);
}

function entityProblems(file: string, step: Step): readonly string[] {
  if (!isPass(step) || step.entities === undefined) return [];
  const { table } = step;
  return step.entities
    .filter((entity) => !table.entities.includes(entity))
    .map((entity) => `${file}: step ${step.name}: ${entity.name} is no entity of ${table.name}`);
}

/** What nobody could be told apart by would let everything be removed, or nothing. */
function proofProblems(file: string, step: Step): readonly string[] {
  if (step.kind !== 'stopped' || step.attributes.length === 0) return [];
  const problem = (what: string) => `${file}: step ${step.name}: proof.${what}`;
  if ('watchMs' in step.proof) {
    const { watchMs } = step.proof;
    return Number.isFinite(watchMs) && watchMs > 0 ? [] : [problem(`watchMs: expected milliseconds above 0, found ${watchMs}`)];
  }
  const { createdAt, since } = step.proof;
  const timeless = step.entities.filter(({ schema }) => !Object.hasOwn(schema.shape, createdAt));
  return [
    ...(epochSecondsOf(since) === undefined ? [problem(`since: expected an ISO 8601 time, found ${since}`)] : []),
    ...timeless.map(({ name }) => problem(`createdAt: ${name} has no attribute ${createdAt}`)),
  ];
}

/** A mark is an attribute of its own: nothing is derived from it, and no key moves with it. */
function markProblems(file: string, step: Step): readonly string[] {
  if (!isPass(step) || step.mark === undefined) return [];
  const { mark, table } = step;
  const taken = [
    ...(keyAttributes(table).some(({ name }) => name === mark) ? ['a key'] : []),
    ...(table.ttl === mark ? ['the ttl'] : []),
    ...(step.reads.includes(mark) ? ['among its reads'] : []),
    ...(step.kind === 'backfill' && step.writes?.includes(mark) === true ? ['among its writes'] : []),
  ];
  if (taken.length === 0) return [];
  return [`${file}: step ${step.name}: mark: expected an attribute of its own, found ${mark}, which is ${taken.join(' and ')}`];
}
