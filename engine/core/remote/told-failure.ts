import { type ErrorCode, errorExitCodes, TablewrightError } from '../../../tables/model/error.ts';

/** Step Functions knows a failure by two texts; what to do next stands on the last line of the second. */
export interface ToldFailure {
  readonly error: string;
  readonly cause: string;
}

const nextMark = 'Next: ';
const problemMark = '  - ';

/** An error of ours, for whoever looks at the execution in AWS's own console, too. */
export function tellFailure({ code, message, next }: TablewrightError): ToldFailure {
  return { error: code, cause: next === undefined ? message : `${message}\n${nextMark}${next}` };
}

/** What was told, as an error again. `otherwise`: the next step where it names none. */
export function failureTold({ error, cause }: ToldFailure, otherwise: string): TablewrightError {
  const code = error in errorExitCodes ? (error as ErrorCode) : 'MIGRATION_FAILED';
  const lines = messageIn(cause).split('\n');
  const next = lines.findLast((line) => line.startsWith(nextMark))?.slice(nextMark.length);
  const [summary = '', ...rest] = lines.filter((line) => !line.startsWith(nextMark));
  const problems = rest.map((line) => (line.startsWith(problemMark) ? line.slice(problemMark.length) : line));
  return new TablewrightError(code, summary, { problems, next: next ?? otherwise });
}

/** Of a function that threw, Lambda tells JSON. */
export function messageIn(cause: string): string {
  try {
    const { errorMessage } = JSON.parse(cause) as { readonly errorMessage?: unknown };
    return typeof errorMessage === 'string' ? errorMessage : cause;
  } catch {
    return cause;
  }
}
