import { TablewrightError } from '../../../tables/model/error.ts';

/** DynamoDB API reference, TransactWriteItems: ClientRequestToken. */
export const maxTokenLength = 36;

/** What each option of a call may be. One that is misspelt would be a token that is not there, or a check that is not made. */
const options: Readonly<Record<string, { readonly takes: (value: unknown) => boolean; readonly expected: string }>> = {
  signal: { takes: (value) => value instanceof AbortSignal, expected: 'an AbortSignal' },
  token: {
    takes: (value) => typeof value === 'string' && value.length >= 1 && value.length <= maxTokenLength,
    expected: `1 to ${maxTokenLength} characters`,
  },
  references: { takes: (value) => value === 'read' || value === 'transaction', expected: 'read or transaction' },
};

/** The options of a call are those that there are; every one that is not is named. */
export function checkCallOptions(name: string, given: object): void {
  const problems = Object.entries(given).flatMap(([option, value]) => {
    if (!Object.hasOwn(options, option)) return [`${option}: unknown option; there are ${Object.keys(options).join(', ')}`];
    const { takes = () => false, expected } = options[option] ?? {};
    return value === undefined || takes(value) ? [] : [`${option}: expected ${expected}, found ${found(option, value)}`];
  });
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_ARGUMENT', `${name}: the options do not fit`, {
    problems,
    next: 'Correct them, or leave them out. For a token a UUID does.',
  });
}

/** An argument that has to be an object; what a program without types gives by mistake is often none. */
export function checkObject(name: string, what: string, given: unknown): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return;
  throw new TablewrightError('BAD_ARGUMENT', `${name}: expected ${what}, found ${shown(given)}`, {
    next: 'Give it as docs/operations.md shows.',
  });
}

function found(option: string, value: unknown): string {
  return option === 'references' ? JSON.stringify(value) : shown(value);
}

/** What it is, without what it holds: records do not belong in messages. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`;
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
