/** How an execution stands (Step Functions API reference, DescribeExecution, `status`). */
export type ExecutionStatus = 'running' | 'succeeded' | 'failed' | 'timed-out' | 'aborted';

/** An execution of the runner's state machine, as Step Functions tells of it. */
export interface Execution {
  readonly arn: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly startedMs: number;
  /** As text: its order, and what it ended with. */
  readonly input: string;
  readonly output: string | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
}

/** The state machine as it is deployed. */
export interface DeployedRunner {
  /** The function that its tasks call, with its version. */
  readonly functionArn: string;
  /** The published version; undefined where the machine calls whatever is newest. */
  readonly version: string | undefined;
}

/** The executions of one state machine. */
export interface Executions {
  /** Undefined when the machine is not there. */
  readonly runner: (signal?: AbortSignal) => Promise<DeployedRunner | undefined>;
  /** Gives its ARN. A name that is there with the same input is the same execution, so a start that is repeated starts one. */
  readonly start: (name: string, input: string, signal?: AbortSignal) => Promise<string>;
  /** Undefined when nobody knows it (any more). */
  readonly describe: (arn: string, signal?: AbortSignal) => Promise<Execution | undefined>;
  /** The one that was started last, running ones first; undefined when there is none. */
  readonly latest: (signal?: AbortSignal) => Promise<Execution | undefined>;
}
