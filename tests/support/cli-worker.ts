import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { checkJsonLines } from './check-json-lines.ts';
import { type CliResult, repository } from './run-cli.ts';

export type WorkerOrder =
  | { readonly kind: 'run'; readonly id: number; readonly args: readonly string[]; readonly cwd: string }
  | { readonly kind: 'abort'; readonly id: number };

export interface WorkerReport extends CliResult {
  readonly id: number;
  readonly elapsedMs: number;
}

/**
 * Runs the command line in a process of its own, many commands one after the other or at once, so that the time to start
 * Node and the compiler is spent once. Not in the tests' process: mocha requires its files, migrations and seeds are imported,
 * and the two would see two copies of the catalogue.
 */
export class CliWorker {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (report: WorkerReport) => void>();
  readonly #cwd: string;
  #last = 0;

  constructor(cwd: string = repository, env: Readonly<Record<string, string>> = {}) {
    this.#cwd = cwd;
    const script = fileURLToPath(new URL('./cli-worker-process.ts', import.meta.url));
    this.#child = fork(script, {
      execArgv: ['--import', 'tsx'],
      cwd: repository,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (report: WorkerReport) => {
      this.#waiting.get(report.id)?.(report);
      this.#waiting.delete(report.id);
    });
  }

  /** The command's end; `stop` ends it as Ctrl-C does. */
  run(args: readonly string[], stop?: AbortSignal): Promise<WorkerReport> {
    this.#last += 1;
    const id = this.#last;
    const order: WorkerOrder = { kind: 'run', id, args, cwd: this.#cwd };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (report) => {
        try {
          checkJsonLines(args, report.stdout, report.stderr);
          resolve(report);
        } catch (error) {
          reject(error);
        }
      });
      this.#child.send(order);
      stop?.addEventListener('abort', () => void this.#child.send({ kind: 'abort', id } satisfies WorkerOrder));
    });
  }

  close(): void {
    this.#child.disconnect();
  }
}
