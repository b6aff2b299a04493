import { Codebase } from '../../audit/codebase.ts';
import { findScans, type ScanFinding } from '../../audit/find-scans.ts';
import { toSarif } from '../../audit/sarif.ts';
import { plural } from '../../core/show/numbers.ts';
import { describeFinding } from '../audit/describe-finding.ts';
import { readSources } from '../audit/read-sources.ts';
import type { Action } from '../context.ts';
import { packageVersion } from '../package-version.ts';
import type spec from './audit-scans.spec.js';

const auditScans: Action<typeof spec> = async ({ catalogue, common, cwd, output }, { paths, format: asked, fail }) => {
  const sources = await readSources(cwd, paths);
  const findings = findScans(new Codebase(sources), catalogue);
  const open = findings.filter((finding) => finding.allowed === null);
  const format = common.json ? 'json' : asked;
  const message = (finding: ScanFinding) => describeFinding(finding).join(' ');
  if (format === 'sarif') output.raw(JSON.stringify(toSarif(findings, packageVersion(), message), null, 2));
  else if (format === 'json')
    output.raw(JSON.stringify({ files: sources.length, scans: open.length, findings }, null, common.json ? 0 : 2));
  else output.raw(describe(findings, open.length, sources.length));
  return fail && open.length > 0 ? 1 : 0;
};

function describe(findings: readonly ScanFinding[], open: number, files: number): string {
  const blocks = findings.map((finding) =>
    [`${finding.file}:${finding.line}:${finding.column}`, ...describeFinding(finding).map((line) => `  ${line}`)].join('\n'),
  );
  const allowed = findings.length - open;
  const summary = `${plural(open, 'Scan')} in ${plural(files, 'file')}${allowed === 0 ? '' : `, ${allowed} more allowed`}.`;
  return [...blocks, summary].join('\n\n');
}

export default auditScans;
