import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { exitCodes } from './exit-codes.js';
import { failureText } from './failure.js';
import { holdMemory } from './hold-memory.js';

/** Everything that means stop: Ctrl-C, a supervisor, a terminal that was closed. */
const stopSignals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * The surroundings of a command that runs as a process. The first signal asks it to stop, the second ends the process. A
 * closed pipe (`… | head -1`, also of the errors) asks it to stop too, and from then on it says nothing more.
 * @returns {import('./surroundings.ts').Surroundings}
 */
export function thisProcess() {
  const { stdout, stderr, stdin } = process;
  const interrupt = new AbortController();
  let asked = false;
  for (const name of stopSignals) {
    process.on(name, () => {
      // A terminal that is closed tells its processes twice, and closes their output as well: nobody is in a hurry.
      if (asked && name !== 'SIGHUP') process.exit(exitCodes.interrupted);
      asked = true;
      interrupt.abort();
    });
  }
  let closed = false;
  const stopSpeaking = () => {
    closed = true;
    interrupt.abort();
  };
  stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    // EIO: the terminal is gone.
    if (error.code !== 'EPIPE' && error.code !== 'EIO' && !closed) failOutput(error);
    stopSpeaking();
  });
  stderr.on('error', stopSpeaking);
  return {
    cwd: process.cwd(),
    env: process.env,
    write: (text) => closed || stdout.write(text),
    writeError: (text) => closed || stderr.write(text),
    results: screenOf(stdout),
    errors: screenOf(stderr),
    ...(stdin.isTTY ? { ask } : {}),
    signal: interrupt.signal,
    holdMemory,
    loadTypeScript: async () => {
      // Projects are TypeScript. Both: a project's package may be of either kind, and one half alone breaks the other.
      const [commonJs, modules] = await Promise.all([import('tsx/cjs/api'), import('tsx/esm/api')]);
      commonJs.register();
      modules.register();
    },
  };
}

/** @param {NodeJS.WriteStream} stream */
function screenOf(stream) {
  return {
    terminal: stream.isTTY === true,
    // A terminal without a size (a serial line, some CI) says 0.
    get columns() {
      return stream.columns > 0 ? stream.columns : 80;
    },
  };
}

/** What was printed is lost, which no exit code of the work itself would tell. @param {NodeJS.ErrnoException} error */
function failOutput({ code = '', message }) {
  const why = code === 'ENOSPC' ? 'there is no room left on its disk' : message;
  const failure = { code: 'FILE_FAILED', summary: `the output cannot be written: ${why} (${code})`, problems: [] };
  process.stderr.write(`${failureText({ ...failure, next: 'Make room, then run the command again.' })}\n`);
  process.once('exit', () => {
    process.exitCode = exitCodes.failed;
  });
}

/**
 * @param {string} question @param {AbortSignal} signal
 * @param {{ input: NodeJS.ReadableStream, output: NodeJS.WritableStream, terminal?: boolean }} [streams]
 */
export async function ask(question, signal, streams = { input: process.stdin, output: process.stderr }) {
  const terminal = createInterface(streams);
  // While it asks, the terminal keeps Ctrl-C to itself; the end of the input is no answer.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = once(terminal, 'close').then(() => '');
  try {
    return await Promise.race([terminal.question(question, { signal }), ended]);
  } catch (error) {
    // Ctrl-D: that is no answer, either.
    if (signal.aborted) throw error;
    return '';
  } finally {
    terminal.close();
  }
}
