import { type ScanFinding, scanRules } from '../../audit/find-scans.ts';

/** What was found and what to write instead, in sentences. */
export function describeFinding(finding: ScanFinding): readonly string[] {
  const { rule, table, guessed, tableText, filter, filteredBy, replacements, candidates, allowed } = finding;
  const place =
    table !== null
      ? `Table ${table}${guessed ? ', by the name of its variable' : ''}.`
      : tableText === null
        ? 'Table: the source does not tell.'
        : `Table: ${tableText}, which is no table of the catalogue.`;
  const who = filteredBy === 'client' ? 'filtered by the program' : 'filtered after everything was read';
  return [
    `${capital(scanRules[rule])}. ${place}`,
    filter === null ? 'No filter.' : `Filter: ${filter} (${who}).`,
    ...replacements.map(({ call, leftOver }) =>
      leftOver.length === 0 ? `Write: ${call}` : `Write: ${call} and keep ${leftOver.join(', ')}`,
    ),
    ...(candidates.length === 0 ? [] : [`No pattern fits it as it is; ${table} has ${candidates.join(', ')}.`]),
    ...(allowed === null ? [] : [`Allowed: ${allowed}`]),
  ];
}

function capital(text: string): string {
  return text.replace(/^[a-z]/, (letter) => (/^[a-z]+[A-Z(]/.test(text) ? letter : letter.toUpperCase()));
}
