import { resourceName, type StackName } from '../../tables/model/stack/aws-place.ts';
import { localStack } from './local-stack.ts';
import { policiesFor } from './policy-needs.ts';

/** How DynamoDB and CloudWatch Logs, and how S3, call a refusal of IAM's. */
const denials: ReadonlySet<unknown> = new Set(['AccessDeniedException', 'AccessDenied']);

/** What to do about a permission that is missing: the policies that the command runs under. Undefined for any other error. */
export function policyAdvice(
  error: unknown,
  { words, given, project, stack }: StackName & { readonly words: string; readonly given: Readonly<Record<string, unknown>> },
): string | undefined {
  const needed = policiesFor(words, given);
  if (stack === localStack || needed.length === 0 || !isDenied(error)) return undefined;
  const names = needed.map((purpose) => {
    const own = resourceName({ project, stack }, purpose);
    return purpose.startsWith('application-') ? `${own}-<system>` : own;
  });
  const which = names.length === 1 ? `the policy ${names[0]}` : `the policies ${names.join(' and ')}`;
  return `The caller lacks this permission. '${words}' runs under ${which} of the stack; attach it (and its further parts, if there are any), see docs/infrastructure.md.`;
}

function isDenied(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return denials.has(error.name) || isDenied(error.cause);
}
