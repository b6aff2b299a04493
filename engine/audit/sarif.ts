import { type ScanFinding, scanRules } from './find-scans.ts';

/** Findings as SARIF 2.1.0, which code hosts show beside the lines. Those that are allowed are suppressed, not left out. */
export function toSarif(findings: readonly ScanFinding[], version: string, message: (finding: ScanFinding) => string): object {
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

function locationOf({ file, line, column, endLine, endColumn }: ScanFinding): object {
  return {
    artifactLocation: { uri: encodeURI(file) },
    region: { startLine: line, startColumn: column, endLine, endColumn },
  };
}
