import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';

export interface ServedExecution {
  readonly name: string;
  readonly input: string;
  readonly startedMs: number;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  output?: string;
  error?: string;
  cause?: string;
}

export interface StepFunctionsServer extends AsyncDisposable {
  readonly endpoint: string;
  /** In the order of their start, by ARN. */
  readonly executions: Map<string, ServedExecution>;
  /** The machine's definition; undefined for a machine that is not there. */
  definition: string | undefined;
}

interface Asked {
  readonly name?: string;
  readonly input?: string;
  readonly executionArn?: string;
  readonly statusFilter?: string;
  readonly maxResults?: number;
  readonly error?: string;
  readonly cause?: string;
}

export interface ServerOptions {
  /** Executions end in order as soon as they are started, with nothing done. */
  readonly endsAtOnce: boolean;
}

/** One state machine behind the JSON API of Step Functions, on loopback. Executions stand still until the test moves them. */
export async function openStepFunctions(
  machineArn: string,
  { endsAtOnce }: ServerOptions = { endsAtOnce: false },
): Promise<StepFunctionsServer> {
  const executions = new Map<string, ServedExecution>();
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const asked = (await readJson(request)) as Asked;
    const answer = operation in operations ? operations[operation]?.(asked) : undefined;
    if (answer === undefined) send(response, 400, { __type: 'UnknownOperationException' });
    else send(response, '__type' in answer ? 400 : 200, answer);
  });
  const operations: Readonly<Record<string, (asked: Asked) => object>> = {
    DescribeStateMachine: () =>
      opened.definition === undefined
        ? missing
        : {
            stateMachineArn: machineArn,
            name: 'runner',
            definition: opened.definition,
            roleArn: '',
            type: 'STANDARD',
            creationDate: 0,
          },
    StartExecution: ({ name = '', input = '{}' }) => {
      if (opened.definition === undefined) return missing;
      const executionArn = `${machineArn.replace(':stateMachine:', ':execution:')}:${name}`;
      const known = executions.get(executionArn);
      if (known !== undefined && known.input !== input) return { __type: 'ExecutionAlreadyExists' };
      if (known === undefined)
        executions.set(executionArn, {
          ...{ name, input, startedMs: executions.size * 1_000 },
          ...(endsAtOnce ? ended : { status: 'RUNNING' as const }),
        });
      return { executionArn, startDate: 0 };
    },
    DescribeExecution: ({ executionArn = '' }) => {
      const found = executions.get(executionArn);
      if (found === undefined) return { __type: 'ExecutionDoesNotExist' };
      const { startedMs, ...rest } = found;
      return { executionArn, stateMachineArn: machineArn, startDate: startedMs / 1_000, ...rest };
    },
    ListExecutions: ({ statusFilter, maxResults = 100 }) => {
      if (opened.definition === undefined) return missing;
      const newestFirst = [...executions].toReversed();
      const found = newestFirst.filter(([, { status }]) => statusFilter === undefined || status === statusFilter);
      return {
        executions: found.slice(0, maxResults).map(([executionArn, { name, status, startedMs }]) => ({
          executionArn,
          stateMachineArn: machineArn,
          name,
          status,
          startDate: startedMs / 1_000,
        })),
      };
    },
    StopExecution: ({ executionArn = '', error = '', cause = '' }) => {
      const found = executions.get(executionArn);
      if (found === undefined) return { __type: 'ExecutionDoesNotExist' };
      if (found.status === 'RUNNING') Object.assign(found, { status: 'ABORTED', error, cause });
      return { stopDate: 0 };
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const opened: StepFunctionsServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    executions,
    definition: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return opened;
}

const ended = { status: 'SUCCEEDED', output: JSON.stringify({ next: { kind: 'done', outcome: 'done' } }) } as const;
const missing = { __type: 'StateMachineDoesNotExist' } as const;

function send(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
}
