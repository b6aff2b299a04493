import type { Pass, SegmentRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { NextAnswer } from '../../../tables/model/runner/order.ts';
import type { Step } from '../../core/migrate/define-migration.ts';
import type { RunContext } from './run-context.ts';

/** Where a run goes through its steps, and others carry them out. */
export interface Elsewhere {
  /** Somebody wants the execution to end: the run is interrupted where it comes to something to do. */
  readonly stopping: boolean;
  /** The units of a pass that are all at their end; where they are not, `Wanted` is thrown. */
  pass(run: RunContext, at: number, pass: Pass, segments: number): Promise<readonly SegmentRecord[]>;
  /** A step that is no pass may be run here, or `Wanted` is thrown. */
  step(step: Step): void;
  /** Something has to be waited for: where that is not done here, `Wanted` is thrown. */
  wait(seconds: number): void;
}

/**
 * Not a failure: the run has come to something that is to be done elsewhere first. It is thrown because every layer of the run has to be left
 * as it is, without writing how it ended.
 */
export class Wanted extends Error {
  readonly answer: NextAnswer;

  constructor(answer: NextAnswer) {
    super(`${answer.kind} is wanted elsewhere`);
    this.answer = answer;
  }
}
