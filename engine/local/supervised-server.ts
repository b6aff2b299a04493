import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TablewrightError } from '../../tables/model/error.ts';

export interface ServerProgram {
  readonly name: string;
  readonly command: (port: number) => readonly string[];
  /** How long it may take until it answers. */
  readonly startTimeoutMs: number;
  /** Why the server that answers cannot be used all the same, as it says itself; undefined when it can. */
  readonly fault?: (endpoint: string) => Promise<string | undefined>;
}

export interface ServerPlace {
  readonly log: string;
  /** The FIFO that its users hold, and the file in which what they wrote comes out. */
  readonly fifo: string;
  readonly roll: string;
  /** A directory to remove when the server has stopped. */
  readonly remove: string | undefined;
}

export const serverPollMs = 10;

/**
 * Starts the server as the child of a shell that reads the FIFO to its end and then stops it. The server alone inherits
 * descriptor 3, whose other end is read here: a server that dies while it is waited for is known at once.
 */
const supervisor = `
log=$1 fifo=$2 roll=$3 remove=$4; shift 4
"$@" >"$log" 2>&1 </dev/null & server=$!
exec 3>&-
cat "$fifo" >"$roll"
kill -TERM $server 2>/dev/null; wait $server
rm -f "$fifo" "$roll"
if [ -n "$remove" ]; then rm -rf "$remove"; fi
`;

/** Starts it and waits until it can be used. Gives the process id of its supervisor. */
export async function startServer(program: ServerProgram, place: ServerPlace, port: number): Promise<number> {
  await writeFile(place.roll, '');
  const { log, fifo, roll, remove = '' } = place;
  const child = spawn('/bin/sh', ['-c', supervisor, 'tablewright', log, fifo, roll, remove, ...program.command(port)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  child.unref();
  const life = child.stdio[3] as Readable;
  let died = false;
  life.on('close', () => {
    died = true;
  });
  life.resume();
  try {
    await untilAnswers(program, log, port, () => died);
  } finally {
    life.destroy();
  }
  return child.pid ?? 0;
}

async function untilAnswers(program: ServerProgram, log: string, port: number, hasDied: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + program.startTimeoutMs;
  while (!(await answers(port))) {
    if (hasDied()) throw await failure(program, log, 'ended as soon as it was started');
    if (performance.now() >= deadlineMs)
      throw await failure(program, log, `did not start within ${program.startTimeoutMs / 1_000} s`);
    await sleep(serverPollMs);
  }
  const fault = await program.fault?.(`http://127.0.0.1:${port}`);
  if (fault !== undefined) throw await failure(program, log, `started and cannot work: ${fault}`);
}

async function failure({ name }: ServerProgram, log: string, what: string): Promise<TablewrightError> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return new TablewrightError('ENGINE_FAILED', `${name} ${what}`, {
    problems: tellingLines(text),
    next: `Read ${log}; with 'up --fresh' the local data is made anew.`,
  });
}

/** The lines of a log that say what is wrong, or its last ones; without the frames of a stack trace. */
export function tellingLines(log: string): readonly string[] {
  const lines = log.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  const telling = lines.filter((line) => /error|exception|invalid|fail/i.test(line));
  return (telling.length === 0 ? lines : telling).slice(-3).map((line) => line.trim());
}

export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
