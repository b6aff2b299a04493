/** A function runs 15 minutes at most (Lambda Developer Guide, "Lambda quotas"); Step Functions waits a little longer than Lambda does. */
export const functionTimeoutSeconds = 900;
const taskTimeoutSeconds = functionTimeoutSeconds + 30;
/** Below the year that an execution may last (Step Functions Developer Guide, "Service quotas"). */
const machineTimeoutSeconds = 30 * 24 * 3_600;

/**
 * What may pass by itself: Lambda's own failures, a worker that was killed or ran out of its time. Nothing that the function says
 * of its own accord is among them. A unit that is invoked again is claimed again, so a repetition is harmless.
 */
const passing = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Sandbox.Timedout',
  'States.Timeout',
];
const again = [
  { ErrorEquals: passing, IntervalSeconds: 2, BackoffRate: 2, MaxDelaySeconds: 60, MaxAttempts: 10, JitterStrategy: 'FULL' },
];

const asked = { 'execution.$': '$$.Execution', 'order.$': '$.order' };

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
  const giveUp = [{ ErrorEquals: ['States.ALL'], ResultPath: '$.cause', Next: 'GiveUp' }];
  return {
    Comment: 'tablewright: migrations by many workers',
    StartAt: 'Begin',
    TimeoutSeconds: machineTimeoutSeconds,
    States: {
      Begin: { Type: 'Pass', Parameters: { 'order.$': '$' }, Next: 'Next' },
      Next: { ...call({ task: 'next', ...asked }), ResultPath: '$.next', Next: 'Choose', Catch: giveUp },
      Choose: {
        Type: 'Choice',
        Choices: [
          { Variable: '$.next.kind', StringEquals: 'pass', Next: 'Pass' },
          { Variable: '$.next.kind', StringEquals: 'inline', Next: 'Inline' },
          { Variable: '$.next.kind', StringEquals: 'wait', Next: 'Wait' },
          { Variable: '$.next.kind', StringEquals: 'done', Next: 'Done' },
        ],
        Default: 'Failed',
      },
      Wait: { Type: 'Wait', SecondsPath: '$.next.seconds', Next: 'Next' },
      Inline: { ...call({ task: 'inline', ...asked }), ResultPath: '$.inline', Next: 'Next', Catch: giveUp },
      Pass: {
        Type: 'Map',
        ItemsPath: '$.next.units',
        ItemSelector: { ...asked, 'pass.$': '$.next.pass', 'unit.$': '$$.Map.Item.Value' },
        MaxConcurrencyPath: '$.next.workers',
        ToleratedFailurePercentage: 0,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
          StartAt: 'Work',
          States: {
            Work: {
              ...call({
                task: 'unit',
                'execution.$': '$.execution',
                'order.$': '$.order',
                'pass.$': '$.pass',
                'unit.$': '$.unit',
              }),
              ResultPath: '$.answer',
              Next: 'More',
            },
            More: {
              Type: 'Choice',
              Choices: [{ Variable: '$.answer.done', BooleanEquals: true, Next: 'Worked' }],
              Default: 'Work',
            },
            // Twenty thousand answers stay below what passes between two states.
            Worked: { Type: 'Pass', Result: {}, End: true },
          },
        },
        ResultPath: null,
        Next: 'Next',
        Catch: giveUp,
      },
      GiveUp: {
        ...call({ task: 'end', ...asked, 'cause.$': '$.cause' }),
        ResultPath: '$.next',
        Next: 'Failed',
      },
      Done: { Type: 'Succeed' },
      Failed: { Type: 'Fail', ErrorPath: '$.next.error', CausePath: '$.next.cause' },
    },
  } as const;
}
