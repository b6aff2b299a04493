import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A function as Lambda would have it, on this machine. */
export interface FunctionSettings {
  /** The file that exports `handler`. */
  readonly module: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  /** The open file that it prints to; nobody reads what it prints when left out. */
  readonly log?: number | undefined;
}

type Answer = { readonly result: string } | { readonly error: { readonly name: string; readonly message: string } };

const program = fileURLToPath(new URL('./function-process.js', import.meta.url));

/** Lambda's memory is all that a sandbox has; the rest of it is for what Node keeps outside its heap. */
const heapShare = 0.9;

/**
 * Calls a function as Lambda does: each call has a process for itself, and one that has answered is taken for the next call.
 * A failure has the name that Step Functions knows it by: the one that the function threw, or how its process ended (Step Functions
 * Developer Guide, "Handle Lambda service exceptions").
 */
export class LocalFunction implements AsyncDisposable {
  readonly #settings: FunctionSettings;
  readonly #all = new Set<ChildProcess>();
  readonly #idle: ChildProcess[] = [];

  constructor(settings: FunctionSettings) {
    this.#settings = settings;
  }

  async invoke(event: unknown): Promise<unknown> {
    const { module, timeoutMs } = this.#settings;
    const child = this.#idle.pop() ?? this.#start();
    const answer = answerOf(child, timeoutMs);
    child.send({ module: pathToFileURL(module).href, event, endMs: Date.now() + timeoutMs }, () => undefined);
    const answered = await answer;
    this.#idle.push(child);
    if ('result' in answered) return JSON.parse(answered.result);
    throw failure(answered.error.name, answered.error.message);
  }

  /** Ends its processes, as `kill -9` does, whatever they are at. */
  async [Symbol.asyncDispose](): Promise<void> {
    const left = [...this.#all];
    const ends = left.map((child) => once(child, 'exit'));
    for (const child of left) child.kill('SIGKILL');
    await Promise.all(ends);
  }

  #start(): ChildProcess {
    const { env, memoryMb, log } = this.#settings;
    const child = fork(program, {
      env: { ...env },
      execArgv: [`--max-old-space-size=${Math.floor(memoryMb * heapShare)}`],
      stdio: ['ignore', log ?? 'ignore', log ?? 'ignore', 'ipc'],
    });
    this.#all.add(child);
    child.once('exit', () => {
      this.#all.delete(child);
      const at = this.#idle.indexOf(child);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return child;
  }
}

function answerOf(child: ChildProcess, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      end();
    };
    const onMessage = (message: unknown): void => settle(() => resolve(message as Answer));
    const onError = (error: Error): void => settle(() => reject(error));
    const onExit = (code: number | null, signal: string | null): void =>
      settle(() => reject(isLate ? timedOut(timeoutMs) : ended(signal ?? `exit code ${code}`)));
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
  });
}

const timedOut = (ms: number): Error => failure('Sandbox.Timedout', `Task timed out after ${ms / 1_000} seconds`);
const ended = (how: string): Error => failure('Runtime.ExitError', `the function ended without an answer: ${how}`);

function failure(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
