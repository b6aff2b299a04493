import type { TablewrightError } from '../../tables/model/error.ts';
import type { CommonOptions } from './context.ts';
import type { Failure } from './failure.js';
import { missingAdvice } from './missing-advice.ts';
import { policyAdvice } from './policy-advice.ts';

export interface FailedCommand {
  readonly words: string;
  readonly common: CommonOptions;
  readonly given: Readonly<Record<string, unknown>>;
  /** The project's name; empty where it could not be loaded. */
  readonly project: string;
}

/** What is said of an error that a user can cause: with the next step that fits the stack that was asked. */
export function failureOfError(error: TablewrightError, { words, common, given, project }: FailedCommand): Failure {
  const { code, message, problems } = error;
  const next = policyAdvice(error, { words, given, project, stack: common.stack }) ?? missingAdvice(error, common) ?? error.next;
  const summary = problems.length === 0 ? message : (message.split('\n')[0] ?? '');
  return { code, summary, problems, ...(next === undefined ? {} : { next }) };
}
