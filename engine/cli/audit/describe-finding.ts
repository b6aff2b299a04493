import { type ScanFinding, scanRules } from '../../audit/find-scans.ts';
import type { IndexProposal } from '../../audit/propose-index.ts';
import type { SyntaxProblem } from '../../audit/syntax-problems.ts';

/** What was found and what to write instead, in sentences. */
export function describeFinding(finding: ScanFinding): readonly string[] {
  const { rule, table, guessed, tableText, tableTold, filter, filteredBy, replacements, candidates, proposal, callers, allowed } =
    finding;
  const place =
    table !== null
      ? `Table ${table}${guessed ? ', by the name of its variable' : ''}.`
      : tableText === null
        ? 'Table: the source does not tell.'
        : callers.length > 0
          ? `Table: ${tableText}, which its callers give: ${callers.map(shownCaller).join(', ')}.`
          : `Table: ${tableText}, ${tableTold ? 'which is no table of the catalogue' : 'whose value the source does not tell'}.`;
  const who = filteredBy === 'client' ? 'filtered by the program' : 'filtered after everything was read';
  return [
    `${capital(scanRules[rule])}. ${place}`,
    filter === null ? 'No filter.' : `Filter: ${filter} (${who}).`,
    ...replacements.map(({ call, leftOver }) =>
      leftOver.length === 0 ? `Write: ${call}` : `Write: ${call} and keep ${leftOver.join(', ')}`,
    ),
    ...(candidates.length === 0 ? [] : [`No pattern fits it as it is; ${table} has ${candidates.join(', ')}.`]),
    ...(proposal === null ? [] : proposalLines(proposal)),
    ...(allowed === null ? [] : [`Allowed: ${allowed}`]),
  ];
}

/** As it would stand in the catalogue; an index that is there needs a pattern only. */
function proposalLines({ index, key }: IndexProposal): readonly string[] {
  const isNew = index.includes(':');
  return [
    isNew ? `An index on these attributes needs no backfill: ${index}` : `Index ${index} has them; it needs a pattern only.`,
    `The pattern's key: ${key}. Before it is deployed run 'tablewright check index'.`,
  ];
}

/** Files that are not wholly understood; what they hold besides may be missing. */
export function describeUnreadable(problems: readonly SyntaxProblem[]): readonly string[] {
  if (problems.length === 0) return [];
  const lines = problems.map(({ file, line, column, message }) => `  ${file}:${line}:${column}: ${message}`);
  return [['These files have a syntax error, and were audited up to there at best:', ...lines].join('\n')];
}

function shownCaller({ file, line, table }: ScanFinding['callers'][number]): string {
  return `${table ?? 'one that is not told'} at ${file}:${line}`;
}

function capital(text: string): string {
  return text.replace(/^[a-z]/, (letter) => (/^[a-z]+[A-Z(]/.test(text) ? letter : letter.toUpperCase()));
}
