import { Codebase } from '../../audit/codebase.ts';
import { findScans, type ScanFinding } from '../../audit/find-scans.ts';
import { toSarif } from '../../audit/sarif.ts';
import { type SyntaxProblem, syntaxProblems } from '../../audit/syntax-problems.ts';
import { plural } from '../../core/show/numbers.ts';
import { describeFinding, describeUnreadable } from '../audit/describe-finding.ts';
import { readSources } from '../audit/read-sources.ts';
import type { Action } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { jsonVersion } from '../json-version.js';
import { packageFile } from '../package-file.js';
import type spec from './audit-scans.spec.js';

const auditScans: Action<typeof spec> = async ({ catalogue, cwd, output }, { paths, format, fail }) => {
  const sources = await readSources(cwd, paths);
  const codebase = new Codebase(sources);
  const findings = findScans(codebase, catalogue);
  const unreadable = syntaxProblems(codebase);
  const open = findings.filter((finding) => finding.allowed === null);
  const message = (finding: ScanFinding) => describeFinding(finding).join(' ');
  const result = { files: sources.length, scans: open.length, findings, unreadable };
  if (format === 'json') output.raw(JSON.stringify({ version: jsonVersion, ...result }, null, 2));
  else if (format === 'sarif')
    output.raw(JSON.stringify(toSarif({ findings, unreadable }, packageFile().version, message), null, 2));
  else output.result(result, () => describe(findings, unreadable, open.length, sources.length));
  // What could not be read may hold anything.
  if (unreadable.length > 0) return exitCodes.failed;
  return fail && open.length > 0 ? exitCodes.failed : exitCodes.done;
};

function describe(findings: readonly ScanFinding[], unreadable: readonly SyntaxProblem[], open: number, files: number): string {
  const blocks = findings.map((finding) =>
    [`${finding.file}:${finding.line}:${finding.column}`, ...describeFinding(finding).map((line) => `  ${line}`)].join('\n'),
  );
  const allowed = findings.length - open;
  const summary = `${plural(open, 'Scan')} in ${plural(files, 'file')}${allowed === 0 ? '' : `, ${allowed} more allowed`}.`;
  return [...blocks, ...describeUnreadable(unreadable), summary].join('\n\n');
}

export default auditScans;
