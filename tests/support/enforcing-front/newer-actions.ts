import type { PolicyDocument } from './access.ts';
import type { Ask } from './ask.ts';

/**
 * Actions that the evaluator's data does not have yet. The one place where they are listed: take one out when the evaluator knows
 * it (the test of this file says so). Bulk put came in autumn 2026.
 */
export const newerActions = [
  'dynamodb:CancelBulkOperation',
  'dynamodb:DescribeBulkOperation',
  'dynamodb:ListBulkOperations',
  'dynamodb:StartBulkPutItems',
] as const;

export function isNewer(action: string): boolean {
  return (newerActions as readonly string[]).includes(action);
}

/** Allowed by some statement and denied by none. A statement with a condition allows nothing here: nobody decides it. */
export function allowsNewer(policies: readonly PolicyDocument[], { action, resource }: Ask): boolean {
  const statements = policies.flatMap(({ Statement }) => Statement);
  const matching = statements.filter(
    (statement) => [statement.Action].flat().some(matches(action)) && [statement.Resource ?? []].flat().some(matches(resource)),
  );
  if (matching.some(({ Effect }) => Effect === 'Deny')) return false;
  return matching.some(({ Condition }) => Condition === undefined);
}

/** `*` is anything, `?` one character. */
function matches(text: string): (pattern: string) => boolean {
  return (pattern) => {
    const source = pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${source}$`, 's').test(text);
  };
}
