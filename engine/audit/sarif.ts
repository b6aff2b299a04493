import { type ScanFinding, scanRules } from './find-scans.ts';
import type { SyntaxProblem } from './syntax-problems.ts';

/** Findings as SARIF 2.1.0, which code hosts show beside the lines. Those that are allowed are suppressed, not left out. */
export function toSarif(
  { findings, unreadable }: { readonly findings: readonly ScanFinding[]; readonly unreadable: readonly SyntaxProblem[] },
  version: string,
  message: (finding: ScanFinding) => string,
): object {
  const rules = Object.entries(scanRules).map(([id, text]) => ({
    id,
    shortDescription: { text },
    help: { text: 'Read through an access pattern of the catalogue instead; docs/reading.md shows how.' },
    defaultConfiguration: { level: 'error' },
  }));
  const ids = Object.keys(scanRules);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'tablewright', version, informationUri: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/', rules },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: unreadable.length === 0, toolExecutionNotifications: unreadable.map(notification) }],
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: ids.indexOf(finding.rule),
          level: 'error',
          message: { text: message(finding) },
          locations: [{ physicalLocation: locationOf(finding) }],
          ...(finding.allowed === null ? {} : { suppressions: [{ kind: 'inSource', justification: finding.allowed }] }),
        })),
      },
    ],
  };
}

function notification({ file, line, column, message }: SyntaxProblem): object {
  const physicalLocation = { artifactLocation: { uri: encodeURI(file) }, region: { startLine: line, startColumn: column } };
  return { level: 'error', message: { text: `Syntax error: ${message}` }, locations: [{ physicalLocation }] };
}

function locationOf({ file, line, column, endLine, endColumn }: ScanFinding): object {
  return {
    artifactLocation: { uri: encodeURI(file) },
    region: { startLine: line, startColumn: column, endLine, endColumn },
  };
}
