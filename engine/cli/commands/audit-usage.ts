import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Codebase } from '../../audit/codebase.ts';
import { findUsage, type Usage } from '../../audit/find-usage.ts';
import { readSources } from '../audit/read-sources.ts';
import type { CommandFunction } from '../context.ts';
import { renderTable } from '../output.ts';

const packageRoot = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)));

const auditUsage: CommandFunction = async ({ catalogue, output }, [paths], options) => {
  const given = await readSources(process.cwd(), paths as readonly string[]);
  // The catalogue's own operations read patterns too, wherever they are called from.
  const own = (await readSources(packageRoot, ['tables'])).filter(({ path }) => path.endsWith('operations.ts'));
  const usage = findUsage(new Codebase([...given, ...own]), catalogue);
  output.result({ files: given.length, ...usage }, () => describe(usage, given.length));
  return options.fail === true && usage.unused.length > 0 ? 1 : 0;
};

function describe({ unused, patterns, indexes }: Usage, files: number): string {
  const scope = `${files} ${files === 1 ? 'file' : 'files'}, ${patterns} patterns, ${indexes} indexes`;
  if (unused.length === 0) return `Everything is used (${scope}).`;
  const rows = unused.map(({ kind, table, name, reason }) => [kind, table, name, reason]);
  return `${renderTable(['what', 'table', 'name', 'why'], rows)}\n\n${unused.length} are unused (${scope}).`;
}

export default auditUsage;
