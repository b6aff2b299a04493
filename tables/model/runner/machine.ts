/** A function runs 15 minutes at most (Lambda Developer Guide, "Lambda quotas"); Step Functions waits a little longer than Lambda does. */
export const functionTimeoutSeconds = 900;
const taskTimeoutSeconds = functionTimeoutSeconds + 30;
/**
 * Below the year that an execution may last (Step Functions Developer Guide, "Service quotas"), and below what a timer of Node holds, for the
 * engine on this machine: 2³¹ milliseconds.
 */
const machineTimeoutSeconds = 24 * 24 * 3_600;

/**
 * What may pass by itself: Lambda's own failures, a worker that was killed, ran out of its time or of its memory. Nothing that the function
 * says of its own accord is among them. Lambda's failures come as `Lambda.<name>`; what ended a function without an answer comes as
 * `Lambda.Unknown`, or under the name that the runtime gave it (Step Functions Developer Guide, "Handle Lambda service exceptions").
 * A unit that is invoked again is claimed again, so a repetition is harmless.
 */
const passing = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  'States.Timeout',
];
const backoff = { IntervalSeconds: 2, BackoffRate: 2, MaxDelaySeconds: 60, JitterStrategy: 'FULL' } as const;
const again = [
  // Other functions of the account have the concurrency; that is a matter of time and no failure. Half a minute on average: eight hours.
  { ErrorEquals: ['Lambda.TooManyRequestsException'], ...backoff, MaxAttempts: 1_000 },
  { ErrorEquals: passing, ...backoff, MaxAttempts: 10 },
];

/**
 * Not the whole of `$$.Execution`: its `Input` is the order, which would count twice against the 256 KiB that pass between two states.
 * `RedriveCount` is 0 until somebody redrives the execution.
 */
const execution = {
  'Id.$': '$$.Execution.Id',
  'Name.$': '$$.Execution.Name',
  'RedriveCount.$': '$$.Execution.RedriveCount',
};
const asked = { execution, 'order.$': '$.order' };

/**
 * In a unit the context is that of its own child execution. Whose work it is says the ItemSelector, which the parent evaluates; that
 * somebody has redriven it, only the child's own context may know.
 */
const askedOfUnit = {
  execution: {
    'Id.$': '$.execution.Id',
    'Name.$': '$.execution.Name',
    'RedriveCount.$': 'States.MathAdd($.execution.RedriveCount, $$.Execution.RedriveCount)',
  },
  'order.$': '$.order',
  'pass.$': '$.pass',
  'unit.$': '$.unit',
};

/** The state that hands over each task: whoever runs the machine without Lambda puts the function in their place. */
export const taskStates = { next: 'Ask', inline: 'Inline', unit: 'Work', end: 'GiveUp' } as const;

/**
 * The state machine of the runner, in Amazon States Language with JSONPath. `next` reads the ledger and says what is to be done: a
 * pass over units, a step of its own, a wait, or nothing more. Nothing of how far things are is kept here.
 */
export function runnerMachine(functionArn: string) {
  const call = (Parameters: Record<string, unknown>) => ({
    Type: 'Task',
    Resource: functionArn,
    Parameters,
    TimeoutSeconds: taskTimeoutSeconds,
    Retry: again,
  });
  const giveUp = [{ ErrorEquals: ['States.ALL'], ResultPath: '$.cause', Next: taskStates.end }];
  return {
    Comment: 'tablewright: migrations by many workers',
    StartAt: 'Begin',
    TimeoutSeconds: machineTimeoutSeconds,
    States: {
      Begin: { Type: 'Pass', Parameters: { 'order.$': '$' }, Next: taskStates.next },
      // No state is called Next: asl-validator takes it for a transition.
      [taskStates.next]: { ...call({ task: 'next', ...asked }), ResultPath: '$.next', Next: 'Choose', Catch: giveUp },
      Choose: {
        Type: 'Choice',
        Choices: [
          { Variable: '$.next.kind', StringEquals: 'pass', Next: 'Pass' },
          { Variable: '$.next.kind', StringEquals: 'inline', Next: taskStates.inline },
          { Variable: '$.next.kind', StringEquals: 'wait', Next: 'Wait' },
          { Variable: '$.next.kind', StringEquals: 'done', Next: 'Done' },
        ],
        Default: 'Failed',
      },
      Wait: { Type: 'Wait', SecondsPath: '$.next.seconds', Next: taskStates.next },
      [taskStates.inline]: { ...call({ task: 'inline', ...asked }), ResultPath: null, Next: taskStates.next, Catch: giveUp },
      Pass: {
        Type: 'Map',
        ItemsPath: '$.next.units',
        ItemSelector: { ...asked, 'pass.$': '$.next.pass', 'unit.$': '$$.Map.Item.Value' },
        MaxConcurrencyPath: '$.next.workers',
        ToleratedFailurePercentage: 0,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
          StartAt: taskStates.unit,
          States: {
            [taskStates.unit]: {
              ...call({ task: 'unit', ...askedOfUnit }),
              ResultPath: '$.answer',
              Next: 'More',
            },
            More: {
              Type: 'Choice',
              Choices: [{ Variable: '$.answer.done', BooleanEquals: true, Next: 'Worked' }],
              Default: taskStates.unit,
            },
            // Twenty thousand answers stay below what passes between two states.
            Worked: { Type: 'Pass', Result: {}, End: true },
          },
        },
        ResultPath: null,
        Next: taskStates.next,
        Catch: giveUp,
      },
      [taskStates.end]: {
        ...call({ task: 'end', ...asked, 'cause.$': '$.cause' }),
        ResultPath: '$.next',
        Next: 'Failed',
      },
      Done: { Type: 'Succeed' },
      Failed: { Type: 'Fail', ErrorPath: '$.next.error', CausePath: '$.next.cause' },
    },
  } as const;
}
