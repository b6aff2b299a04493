import type { DescribeExecutionOutput, SFNClient } from '@aws-sdk/client-sfn';
import type { Execution, ExecutionStatus, Executions } from '../../core/remote/executions.ts';
import { machineFunction } from '../../core/remote/machine-function.ts';
import { storeError } from '../store/store-error.ts';

const statuses: Readonly<Record<string, ExecutionStatus>> = {
  RUNNING: 'running',
  PENDING_REDRIVE: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timed-out',
  ABORTED: 'aborted',
};

/** The executions of a machine of Step Functions. The package is loaded when it is first needed. */
export function stepFunctions(open: () => Promise<SFNClient>, machineArn: string): Executions {
  const asking = <T>(ask: (client: SFNClient, sdk: typeof import('@aws-sdk/client-sfn')) => Promise<T>): Promise<T> =>
    asked(async () => ask(await open(), await import('@aws-sdk/client-sfn')));
  const options = (signal?: AbortSignal) => (signal === undefined ? {} : { abortSignal: signal });

  const describe: Executions['describe'] = (executionArn, signal) =>
    asking(async (client, { DescribeExecutionCommand, ExecutionDoesNotExist }) => {
      try {
        return executionOf(await client.send(new DescribeExecutionCommand({ executionArn }), options(signal)));
      } catch (error) {
        if (error instanceof ExecutionDoesNotExist) return undefined;
        throw error;
      }
    });

  return {
    describe,
    runner: (signal) =>
      asking(async (client, { DescribeStateMachineCommand, StateMachineDoesNotExist }) => {
        try {
          const command = new DescribeStateMachineCommand({ stateMachineArn: machineArn });
          return machineFunction((await client.send(command, options(signal))).definition ?? '');
        } catch (error) {
          if (error instanceof StateMachineDoesNotExist) return undefined;
          throw error;
        }
      }),
    start: (name, input, signal) =>
      asking(async (client, { StartExecutionCommand }) => {
        const command = new StartExecutionCommand({ stateMachineArn: machineArn, name, input });
        return (await client.send(command, options(signal))).executionArn ?? '';
      }),
    latest: (signal) =>
      asking(async (client, { ListExecutionsCommand, StateMachineDoesNotExist }) => {
        const list = async (statusFilter?: 'RUNNING') => {
          // The newest come first (Step Functions API reference, ListExecutions).
          const command = new ListExecutionsCommand({ stateMachineArn: machineArn, maxResults: 1, statusFilter });
          return (await client.send(command, options(signal))).executions?.[0]?.executionArn;
        };
        try {
          const arn = (await list('RUNNING')) ?? (await list());
          return arn === undefined ? undefined : await describe(arn, signal);
        } catch (error) {
          if (error instanceof StateMachineDoesNotExist) return undefined;
          throw error;
        }
      }),
  };
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw storeError('Step Functions', error);
  }
}

function executionOf(described: DescribeExecutionOutput): Execution {
  const { executionArn = '', name = '', status = '', startDate, input = '{}', output, error, cause } = described;
  return {
    arn: executionArn,
    name,
    status: statuses[status] ?? 'running',
    startedMs: startDate?.getTime() ?? 0,
    input,
    output,
    error,
    cause,
  };
}
