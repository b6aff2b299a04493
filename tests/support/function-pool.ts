import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RunnerTask } from '../../tables/model/runner/order.ts';
import { repository } from './run-cli.ts';

/** An invocation that was killed: Lambda would say that it knows nothing of it. */
export class Killed extends Error {}

interface Told {
  readonly answer?: unknown;
  readonly error?: string;
  readonly code?: string;
}

/** Processes that invocations run in, each killed with SIGKILL where chance wants it. */
export class FunctionPool implements AsyncDisposable {
  readonly #endpoint: string;
  readonly #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();
  killed = 0;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  /** `killAfterMs`: when the process is killed, should it still be at it. */
  async invoke(task: RunnerTask, killAfterMs?: number): Promise<unknown> {
    const child = this.#idle.pop() ?? (await this.#start());
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    const heard = new AbortController();
    const answered = once(child, 'message', heard) as Promise<[Told]>;
    const ended = once(child, 'exit', heard).then(() => undefined);
    child.send(task);
    const told = await Promise.race([answered, ended]).finally(() => {
      clearTimeout(timer);
      heard.abort();
    });
    // Whichever of the two did not come is not waited for.
    for (const other of [answered, ended]) other.catch(() => undefined);
    if (told === undefined) {
      this.#all.delete(child);
      this.killed += 1;
      throw new Killed('killed');
    }
    const [{ answer, error, code }] = told;
    if (!child.killed) this.#idle.push(child);
    if (error !== undefined) throw Object.assign(new Error(error), { code });
    return answer;
  }

  async #start(): Promise<ChildProcess> {
    const script = join(repository, 'tests/support/function-process.ts');
    const child = fork(script, [this.#endpoint], { cwd: repository, execArgv: ['--import', 'tsx'] });
    this.#all.add(child);
    await once(child, 'message');
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#all].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(ended);
  }
}
