import type { Pass, SegmentRecord, StepRecord } from '../../../tables/model/ledger/migration-records.ts';
import type { NextAnswer } from '../../../tables/model/runner/order.ts';
import type { StepContext } from './run-context.ts';

/** Some of the units of a step, for one pass. */
export interface UnitsOfPass {
  readonly pass: Pass;
  readonly units: readonly number[];
  /** Of a rollback: their journals are only looked at. */
  readonly survey?: boolean;
}

/** Where a run goes through its steps, and others carry them out. */
export interface Elsewhere {
  /** Somebody wants the execution to end: the run is interrupted where it comes to something to do. */
  readonly stopping: boolean;
  /** The units of a pass that are all at their end; where they are not, `HandedOver` is thrown. */
  pass(run: StepContext, step: StepRecord, of: UnitsOfPass): Promise<readonly SegmentRecord[]>;
  /** Something that is no pass may be run here, or `HandedOver` is thrown. */
  inline(): void;
  /** Something has to be waited for, and what that is: where it is not done here, `HandedOver` is thrown. */
  wait(run: StepContext, what: string): Promise<void>;
  /** It ends before its time: where that is only this invocation's, `HandedOver` is thrown, and the next one goes on. */
  cut(): void;
}

/**
 * Not a failure: the run has come to something that is to be done elsewhere first. It is thrown because every layer of the run has to be left
 * as it is, without writing how it ended.
 */
export class HandedOver extends Error {
  readonly answer: NextAnswer;

  constructor(answer: NextAnswer) {
    super(`${answer.kind} is wanted elsewhere`);
    this.answer = answer;
  }
}
