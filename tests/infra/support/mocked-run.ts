import * as pulumi from '@pulumi/pulumi';
import type { RegisterResourceRequest } from '@pulumi/pulumi/proto/resource_pb.js';
import { MockMonitor } from '@pulumi/pulumi/runtime/mocks.js';
import program from '../../../infra/index.ts';
import { projectName } from '../../../tables/model/stack/stack-config.ts';
import { answer, createdState } from './fake-aws.ts';
import { fromRequest, type Registered } from './registered.ts';
import { encodeConfig, type Settings } from './stack-file.ts';

export interface MockedRun {
  readonly resources: readonly Registered[];
  readonly outputs: Readonly<Record<string, unknown>>;
  /** What Pulumi would show as warnings. */
  readonly warnings: readonly string[];
}

/**
 * Runs the whole program, or another one, in this process under Pulumi's mocks; the monitor is watched, because mocks hide the
 * options.
 */
export async function runMocked(
  stack: string,
  settings: Settings,
  run: () => Promise<object> = program,
  preview = false,
): Promise<MockedRun> {
  const requests: Registered[] = [];
  const warnings: string[] = [];
  const original = MockMonitor.prototype.registerResource;
  const { warn } = console;
  // Without an engine Pulumi logs to the console.
  console.warn = (line: string) => warnings.push(line.replace(/^warning: \[runtime\] /, ''));
  MockMonitor.prototype.registerResource = function (this: MockMonitor, ...args: Parameters<typeof original>) {
    const request = args[0] as unknown as RegisterResourceRequest;
    requests.push(fromRequest(request, ''));
    return original.apply(this, args);
  };
  try {
    await pulumi.runtime.setMocks(
      {
        call: ({ token }) => answer(token) ?? raise(`the program asked AWS for ${token}`),
        newResource: ({ type, name, inputs }) => createdState(type, name, inputs),
      },
      projectName,
      stack,
      preview,
    );
    pulumi.runtime.setAllConfig(encodeConfig(settings));
    const outputs = await pulumi.runtime.runInPulumiStack(run);
    const values = (await settled(outputs)) as Readonly<Record<string, unknown>>;
    // The stack's outputs are still on their way; the next run's mocks would not know it.
    await pulumi.runtime.disconnect();
    return { resources: requests, outputs: values, warnings };
  } finally {
    MockMonitor.prototype.registerResource = original;
    console.warn = warn;
  }
}

function raise(message: string): never {
  throw new Error(message);
}

/** The values behind outputs, at every depth. */
async function settled(outputs: object | undefined): Promise<unknown> {
  return new Promise((resolve) => {
    pulumi.output({ outputs }).apply((value) => resolve(value.outputs));
  });
}
