import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Codebase } from '../../audit/codebase.ts';
import { findUsage, type Usage } from '../../audit/find-usage.ts';
import { syntaxProblems } from '../../audit/syntax-problems.ts';
import { plural } from '../../core/show/numbers.ts';
import { describeUnreadable } from '../audit/describe-finding.ts';
import { readSources } from '../audit/read-sources.ts';
import type { Action } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import type { Sheet } from '../show/screen.ts';
import { type Column, renderTable } from '../show/table.ts';
import type spec from './audit-usage.spec.js';

/** Where operations are looked for. */
const tablesFolder = 'tables';

const auditUsage: Action<typeof spec> = async ({ project, catalogue, root, cwd, output }, { paths, fail }) => {
  const given = await readSources(cwd, paths);
  // The project's own operations read patterns too, wherever they are called from.
  const tables = existsSync(join(root, tablesFolder)) ? await readSources(root, [tablesFolder]) : [];
  const own = tables.filter(({ path }) => path.endsWith('operations.ts'));
  const usage = findUsage(new Codebase([...given, ...own]), { tables: project.tables, catalogue });
  const unreadable = syntaxProblems(new Codebase(given));
  output.result({ files: given.length, ...usage, unreadable }, (page) =>
    [...describeUnreadable(unreadable), describe(page, usage, given.length)].join('\n\n'),
  );
  if (unreadable.length > 0) return exitCodes.failed;
  return fail && usage.unused.length > 0 ? exitCodes.failed : exitCodes.done;
};

const columns: readonly Column[] = [
  { title: 'what' },
  { title: 'table', rank: 1, least: 12 },
  { title: 'name', rank: 0 },
  { title: 'why', rank: 2, least: 14 },
];

function describe(page: Sheet, { unused, patterns, indexes }: Usage, files: number): string {
  const scope = `${plural(files, 'file')}, ${patterns} patterns, ${indexes} indexes`;
  if (unused.length === 0) return `Everything is used (${scope}).`;
  const rows = unused.map(({ kind, table, name, reason }) => [kind, table, name, reason]);
  return `${renderTable(page, columns, rows)}\n\n${unused.length} are unused (${scope}).`;
}

export default auditUsage;
