import { type Boot, boot } from './boot.ts';
import { type MockedRun, runMocked } from './mocked-run.ts';
import { stackFile } from './stack-file.ts';

const boots = new Map<string, Promise<Boot>>();
const runs = new Map<string, Promise<MockedRun>>();

/** A stack of this repository, booted once for all tests; nobody may change what it recorded. */
export function bootedStack(stack: 'dev' | 'prod'): Promise<Boot> {
  return once(boots, stack, () => boot(stack, stackFile(stack)));
}

export function mockedStack(stack: 'dev' | 'prod'): Promise<MockedRun> {
  return once(runs, stack, () => runMocked(stack, stackFile(stack)));
}

function once<T>(made: Map<string, Promise<T>>, stack: string, make: () => Promise<T>): Promise<T> {
  const promise = made.get(stack) ?? make();
  made.set(stack, promise);
  return promise;
}
