import type { Archive } from './archive.ts';
import { type KnownOptions, optional, optionProblems, required } from './check-options.ts';
import { TablewrightError } from './error.ts';
import { ledger } from './ledger/ledger.ts';
import type { Pattern } from './pattern.ts';
import type { Table } from './table.ts';

/** Tables by the names that a project's own code calls them. */
export type ProjectTables = Readonly<Record<string, Table>>;

/** What a team keeps in DynamoDB, and where its migrations and seeds lie. */
export interface Project<Tables extends ProjectTables = ProjectTables> {
  /**
   * What the names of its roles, policies, alarms, key and bucket in AWS begin with, and its ledger's, so that two projects can share an
   * account. A table's own name does not. A project that is deployed keeps its name: with another, what has a name is made anew.
   */
  readonly name: string;
  readonly tables: Tables;
  /** Folders, relative to the project file. */
  readonly migrations: string;
  readonly seeds: string;
  /** The folder of `released-shape.json` and `allowed-changes.json`: what was deployed, and what of it may be lost. */
  readonly shapes: string;
  /** Systems in the order in which people see them; others follow by name. */
  readonly systems: readonly string[];
  /** What `tablewright archive` keeps of records that expire. */
  readonly archive: Archive | undefined;
}

export interface ProjectOptions<Tables extends ProjectTables> {
  readonly name: string;
  readonly tables: Tables;
  readonly migrations?: string;
  readonly seeds?: string;
  readonly shapes?: string;
  readonly systems?: readonly string[];
  readonly archive?: Archive;
}

/** What packages, folders and Pulumi projects may all be called. */
const nameForm = /^[a-z][a-z0-9-]{1,28}[a-z0-9]$/;

const projectOptions: KnownOptions<ProjectOptions<ProjectTables>> = {
  name: required(),
  tables: required('object'),
  migrations: optional('text'),
  seeds: optional('text'),
  shapes: optional('text'),
  systems: optional('list'),
  archive: optional('object'),
};

/** The default export of a `tablewright.config.ts`. */
export function defineProject<const Tables extends ProjectTables>(options: ProjectOptions<Tables>): Project<Tables> {
  const { name, tables, migrations = 'migrations', seeds = 'seeds', shapes = 'tables', systems = [], archive } = options;
  const problems = [
    ...optionProblems<ProjectOptions<ProjectTables>>(options, projectOptions),
    ...(name === undefined ? [] : nameProblems(name)),
    ...tablesProblems(Object.entries(tables ?? {})),
  ];
  if (problems.length > 0) {
    throw new TablewrightError('BAD_CATALOGUE', 'the project does not hold', {
      problems,
      next: 'Correct defineProject in tablewright.config.ts.',
    });
  }
  return { name, tables, migrations, seeds, shapes, systems, archive };
}

function nameProblems(name: string): readonly string[] {
  if (typeof name === 'string' && nameForm.test(name)) return [];
  return [`name: expected 3 to 30 of a-z, 0-9 and -, from a letter to a letter or digit, found ${JSON.stringify(name)}`];
}

function tablesProblems(given: readonly (readonly [string, Table])[]): readonly string[] {
  const strange = given
    .filter(([, table]) => !isTable(table))
    .map(([exported, found]) => `tables.${exported}: ${notTable(found)}`);
  const tables = given.filter(([, table]) => isTable(table));
  const own = tables.flatMap(([exported, table], at) => {
    const before = tables.slice(0, at);
    return [...ownProblems(table), ...clashes(table, before)].map((problem) => `tables.${exported}: ${problem}`);
  });
  return [...strange, ...own];
}

const isTable = (value: unknown): boolean => typeof value === 'object' && value !== null && 'key' in value && 'patterns' in value;

/** A whole module of a table's file is easily given: its entities are there too, and an import of a wrong name is undefined. */
function notTable(found: unknown): string {
  const isEntity = typeof found === 'object' && found !== null && 'schema' in found;
  return `expected a table made by defineTable, found ${isEntity ? 'an entity' : found === null ? 'null' : typeof found}`;
}

// DynamoDB developer guide, "Naming rules": tables and indexes.
const tableForm = /^[\w.-]{3,255}$/;
// CloudWatch API reference, PutDashboard: a system's dashboard has its name.
const systemForm = /^[\w-]{1,64}$/;

function ownProblems({ name, system, indexes }: Table): readonly string[] {
  if (system === ledger.system) return [`system ${system} is the toolkit's own`];
  const named = [{ what: 'name', name }, ...indexes.map((index) => ({ what: 'index', name: index.name }))];
  return [
    ...named.flatMap((one) =>
      tableForm.test(one.name)
        ? []
        : [`${one.what}: expected 3 to 255 letters, digits, _, - and ., found ${JSON.stringify(one.name)}`],
    ),
    ...(systemForm.test(system) ? [] : [`system: expected 1 to 64 letters, digits, _ and -, found ${JSON.stringify(system)}`]),
  ];
}

/** Names that one of the tables before has: of a table, or of a pattern, by which two tables of one namespace are read. */
function clashes({ name, patterns }: Table, before: readonly (readonly [string, Table])[]): readonly string[] {
  const other = before.find(([, table]) => table.name === name);
  const names = new Map(
    before.flatMap(([exported, table]) => Object.values(table.patterns).map((pattern) => [pattern.name, exported] as const)),
  );
  return [
    ...(other === undefined ? [] : [`its name ${name} is the name of tables.${other[0]} already`]),
    ...Object.values(patterns).flatMap((pattern) =>
      names.has(pattern.name) ? [`its pattern ${pattern.name} is one of tables.${names.get(pattern.name)} already`] : [],
    ),
  ];
}

/** Every table of a stack, in the order in which people see them: by system, the toolkit's own ledger last. */
export function catalogueOf({ tables, systems }: Pick<Project, 'tables' | 'systems'>): readonly Table[] {
  const rank = ({ system, name }: Table): string => {
    const at = systems.indexOf(system);
    return `${String(at === -1 ? systems.length : at).padStart(4, '0')} ${system} ${name}`;
  };
  return [...Object.values(tables).toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)), ledger];
}

export function patternsOf(catalogue: readonly Table[]): readonly Pattern[] {
  return catalogue.flatMap((table) => Object.values(table.patterns));
}

type PatternIn<T> = T extends { readonly patterns: infer P } ? P[keyof P] : never;

/** Every pattern of a project, with its own parameter and result types. */
type ProjectPattern<P extends Project> = Extract<PatternIn<P['tables'][keyof P['tables']]>, Pattern>;

/** `oms.trading.ordersByProduct` and the like. */
export type PatternName<P extends Project> = ProjectPattern<P>['name'];

export type PatternNamed<P extends Project, Name extends PatternName<P>> = Extract<ProjectPattern<P>, { readonly name: Name }>;
