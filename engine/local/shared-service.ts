import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TablewrightError } from '../../tables/model/error.ts';
import { makeFolder } from './make-folder.ts';
import { answers, freePort, type ServerProgram, serverPollMs, startServer } from './supervised-server.ts';
import { isThere, writeFile } from './write-file.ts';

export { freePort };

/**
 * A server program that several commands share and that never outlives them.
 *
 * Every user holds the write end of one FIFO. A supervising shell started the server as its own child and reads that
 * FIFO to its end, which the kernel gives when the last user has closed it, exited or been killed; then it stops the
 * server. The shell is the server's parent, so the process id it kills is always the server's own.
 *
 * A newcomer writes a word of its own into the FIFO and waits to see it come out in the roll: from then on it is a user
 * whom the end of the FIFO waits for. A word that does not come out met a server that was already stopping.
 */
export interface ServiceOptions extends ServerProgram {
  /** Where its state lies; services in one directory are shared by all processes that open it. */
  readonly directory: string;
  /** A given port, or any free one. */
  readonly port: number | undefined;
  /** Taken when no port is given and nothing else has it. */
  readonly preferredPort?: number | undefined;
  /** Remove the directory when the server stops. */
  readonly temporary: boolean;
}

export interface Service {
  readonly endpoint: string;
  /** This call started it, rather than finding it running. */
  readonly started: boolean;
  /** Lets go of it; the last user out stops it. Resolves when a server that stops with it is gone. */
  release(): Promise<void>;
}

interface State {
  readonly port: number;
  /** The process that stops the server when its last user is gone. */
  readonly supervisor: number;
  /** The FIFO that its users hold, and the file in which what they wrote comes out. */
  readonly users: string;
  readonly roll: string;
}

/** How long a server may take to let a newcomer in, or to stop. */
export const settleTimeoutMs = 15_000;

export async function openService(options: ServiceOptions): Promise<Service> {
  await makeFolder(options.directory);
  const deadlineMs = performance.now() + options.startTimeoutMs;
  while (performance.now() < deadlineMs) {
    const found = await joinRunning(options);
    if (found !== undefined) return checkPort(options, found);
    const lock = await takeStartLock(options);
    if (lock === undefined) {
      await sleep(serverPollMs);
      continue;
    }
    try {
      return await start(options);
    } finally {
      await rm(lock, { force: true });
    }
  }
  throw new TablewrightError(
    'ENGINE_FAILED',
    `${options.name}: another process has been starting it for ${options.startTimeoutMs / 1_000} s`,
    {
      next: `If no other tablewright command runs, remove ${join(options.directory, `${options.name}.starting`)} and try again.`,
    },
  );
}

type Place = Pick<ServiceOptions, 'name' | 'directory'>;

const stateFile = (place: Place) => join(place.directory, `${place.name}.json`);

async function readState(place: Place): Promise<State | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(place), 'utf8')) as State;
  } catch {
    return undefined;
  }
}

/** Becomes a user of a running server; undefined when none runs. */
async function joinRunning(place: Place): Promise<(Service & { readonly port: number }) | undefined> {
  const state = await readState(place);
  if (state === undefined) return undefined;
  // A plain descriptor: a FileHandle would be closed by the garbage collector, and the server stopped with it.
  let user: number;
  try {
    // Fails at once when the FIFO is gone or no supervisor holds its other end.
    user = openSync(state.users, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  if (!(await isTakenIn(user, state))) {
    closeSync(user);
    return undefined;
  }
  return { endpoint: `http://127.0.0.1:${state.port}`, port: state.port, started: false, release: async () => closeSync(user) };
}

/** Has the supervisor read this user's word? Only then does the server wait for it. */
async function isTakenIn(user: number, state: State): Promise<boolean> {
  const word = randomUUID();
  try {
    writeSync(user, `${word}\n`);
  } catch {
    return false;
  }
  const deadlineMs = performance.now() + settleTimeoutMs;
  while (performance.now() < deadlineMs) {
    const roll = await readFile(state.roll, 'utf8').catch(() => undefined);
    if (roll === undefined) return false;
    if (roll.includes(word)) return answers(state.port);
    await sleep(1);
  }
  return false;
}

/** Is a server of this name running for the directory? One that is just stopping is waited for. */
export async function isRunning(place: Place): Promise<boolean> {
  const found = await joinRunning(place);
  if (found !== undefined) {
    await found.release();
    return true;
  }
  await untilStopped(place);
  return false;
}

/** A server that lost its last user may still be closing its files; a new one must not open them before. */
async function untilStopped(place: Place): Promise<void> {
  const state = await readState(place);
  const deadlineMs = performance.now() + settleTimeoutMs;
  while (state !== undefined && performance.now() < deadlineMs && (await isStopping(state))) await sleep(serverPollMs);
}

/** Its supervisor removes the FIFO when the server is gone; one that was killed itself never does. */
async function isStopping({ users, supervisor, port }: State): Promise<boolean> {
  if (!existsSync(users) || !isAlive(supervisor)) return false;
  try {
    closeSync(openSync(users, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    return true;
  }
  // The supervisor still listens to users: the server is about to stop, or died under them and leaves its files alone.
  return answers(port);
}

async function checkPort(options: ServiceOptions, found: Service & { readonly port: number }): Promise<Service> {
  if (options.port === undefined || options.port === found.port) return found;
  await found.release();
  throw new TablewrightError(
    'PORT_TAKEN',
    `${options.name} already runs on port ${found.port}; port ${options.port} was asked for`,
    {
      next: `Leave out --port, or stop the command that holds it (Ctrl-C in its terminal).`,
    },
  );
}

async function start(options: ServiceOptions): Promise<Service> {
  await untilStopped(options);
  const fifo = join(options.directory, `${options.name}.${randomUUID().slice(0, 8)}.users`);
  if (spawnSync('mkfifo', ['-m', '600', fifo]).status !== 0) {
    throw new TablewrightError('ENGINE_FAILED', `${options.name}: cannot make ${fifo}`, {
      next: 'Check that its folder can be written to.',
    });
  }
  // Opened before the supervisor, for reading too so that it does not block: whenever this process dies, the FIFO ends.
  const user = openSync(fifo, constants.O_RDWR);
  try {
    const port = options.port ?? (await choosePort(options));
    if (await answers(port)) throw portTaken(options, port);
    const log = join(options.directory, `${options.name}.log`);
    const roll = `${fifo}.roll`;
    const remove = options.temporary ? options.directory : undefined;
    const supervisor = await startServer(options, { log, fifo, roll, remove }, port);
    const state: State = { port, supervisor, users: fifo, roll };
    await writeFile(stateFile(options), JSON.stringify(state));
    return { endpoint: `http://127.0.0.1:${port}`, started: true, release: () => leave(options, fifo, user) };
  } catch (error) {
    closeSync(user);
    throw error;
  }
}

async function choosePort({ preferredPort }: ServiceOptions): Promise<number> {
  return preferredPort === undefined || (await answers(preferredPort)) ? freePort() : preferredPort;
}

function portTaken(options: ServiceOptions, port: number): TablewrightError {
  return new TablewrightError('PORT_TAKEN', `port ${port} is taken by another program; ${options.name} needs it`, {
    next: 'Give another one with --port N, or stop that program.',
  });
}

/** Lets go. A private server has no other users, so its end is waited for. */
async function leave(options: ServiceOptions, fifo: string, user: number): Promise<void> {
  closeSync(user);
  const deadlineMs = performance.now() + settleTimeoutMs;
  while (options.temporary && existsSync(fifo) && performance.now() < deadlineMs) await sleep(serverPollMs);
}

/** One process at a time starts the server. The lock of a process that died is taken over. */
async function takeStartLock(options: ServiceOptions): Promise<string | undefined> {
  const lock = join(options.directory, `${options.name}.starting`);
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return lock;
  } catch (error) {
    if (!isThere(error)) throw error;
    const holder = Number(await readFile(lock, 'utf8').catch(() => '0'));
    if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true });
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
