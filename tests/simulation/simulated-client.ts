import { ledgerKey } from '../../engine/core/ledger/ledger-codec.ts';
import type { DataStore, StatementsOutcome } from '../../engine/core/migrate/data-store.ts';
import type { Random } from '../../engine/core/seed/random.ts';
import type { Store, TransactRequest } from '../../engine/core/store/store.ts';
import { lockScope } from '../../engine/run/ledger/lock.ts';
import { type Item, scalarText } from '../../tables/model/attribute-value.ts';
import { type RetryCause, TablewrightError } from '../../tables/model/error.ts';
import { lockRecord } from '../../tables/model/ledger/lock-records.ts';
import { ExpressionReader } from '../support/evaluate-expression.ts';
import type { Scheduler } from './scheduler.ts';
import { abortError, type SimulatedProcess, theWorld } from './simulated-process.ts';
import type { SimulatedServer } from './simulated-server.ts';
import { drawFate, drawLatencyMs, type Fate, type Weather } from './weather.ts';

export interface Network {
  readonly scheduler: Scheduler;
  readonly server: SimulatedServer;
  readonly random: Random;
  readonly weather: () => Weather;
  readonly trace: (line: string) => void;
  readonly onFate: (fate: Fate['kind'] | 'partly' | 'conflict') => void;
  /** A write of data is about to go; asked while its sender still decides. */
  readonly onDataCall: (process: SimulatedProcess) => void;
}

/** A call as it goes over the network. */
interface Call<A> {
  readonly name: string;
  readonly detail: string;
  readonly serve: () => A;
  /** The answer in place of one that did not come: a value, or thrown. */
  readonly fail: (cause: Exclude<RetryCause, 'unprocessed'>) => A;
  readonly signal?: AbortSignal | undefined;
  /** Told of an answer when it has come. */
  readonly onAnswer?: (answer: A) => void;
}

/** The engine's ports to DynamoDB, for one process, over a network on which things happen. */
export function simulatedClient(network: Network, process: SimulatedProcess): DataStore & Store {
  const { server, random, weather } = network;
  const call = <A>(given: Call<A>): Promise<A> => send(network, process, given);
  const partly = (): boolean => {
    const isHit = random.chance(weather().partly);
    if (isHit) network.onFate('partly');
    return isHit;
  };
  return {
    getItem: (request, signal) =>
      call({
        name: 'get',
        detail: text(request.Key),
        serve: () => server.getItem(request),
        fail: thrown(request.TableName),
        signal,
        onAnswer: seeingClaim(process, request.Key),
      }),
    query: (request, signal) =>
      call({
        name: 'query',
        detail: text(request.ExpressionAttributeValues),
        serve: () => server.query(request),
        fail: thrown(request.TableName),
        signal,
      }),
    scan: (request, signal) => {
      // Of a request that is delivered twice the first answer is the one that comes.
      let servedMs: number | undefined;
      return call({
        name: 'scan',
        detail: `${request.TableName} ${request.Segment ?? ''} ${text(request.ExclusiveStartKey)}`,
        serve: () => {
          servedMs ??= network.scheduler.nowMs;
          return server.scan(request);
        },
        fail: thrown(request.TableName),
        signal,
        onAnswer: (page) => server.tellScanned(process, request, page, servedMs ?? 0),
      });
    },
    batchGet: (request, signal) => {
      let servedMs: number | undefined;
      return call({
        name: 'batch get',
        detail: `${request.Keys.length}`,
        serve: () => {
          servedMs ??= network.scheduler.nowMs;
          const left = request.Keys.length > 1 ? request.Keys.filter(() => partly()) : [];
          const answer = server.batchGet({ ...request, Keys: request.Keys.filter((key) => !left.includes(key)) });
          return { ...answer, unprocessed: left };
        },
        fail: thrown(request.TableName),
        signal,
        onAnswer: ({ unprocessed }) => {
          const Keys = request.Keys.filter((key) => !unprocessed.includes(key));
          server.tellGot(process, { ...request, Keys }, servedMs ?? 0);
        },
      });
    },
    transact: (request, signal) =>
      call({
        name: 'transact',
        detail: shownEntries(request),
        serve: () => {
          if (random.chance(weather().conflict)) {
            network.onFate('conflict');
            return { done: false, reasons: request.TransactItems.map(() => 'TransactionConflict') };
          }
          return server.transact(process, request);
        },
        fail: thrown('ledger'),
        signal,
        onAnswer: ({ done }) => {
          if (!done || process.unit !== undefined) return;
          process.lease = leaseAfter(process.lease, request);
          process.turn = turnAfter(process.turn, request);
        },
      }),
    execute: (tableName, statements) => {
      network.onDataCall(process);
      return call<StatementsOutcome>({
        name: 'execute',
        detail: `${statements.length} ${text(statements.map(({ Parameters }) => Parameters))}`,
        serve: () => {
          const held = statements.map(() => partly());
          const answers = statements.map((statement, at) => {
            const cause = random.pick(['throttled', 'throttled', 'server-error'] as const);
            return held[at] === true ? ({ kind: 'again', cause } as const) : server.executeOne(process, tableName, statement);
          });
          return { kind: 'answered', answers, consumed: server.consumed(statements.length) };
        },
        fail: (cause) => ({ kind: 'failed', cause, message: cause }),
      });
    },
    writeTogether: (_tableName, entries) => {
      network.onDataCall(process);
      return call({
        name: 'write together',
        detail: shownEntries({ TransactItems: [...entries] }),
        serve: () =>
          partly()
            ? { kind: 'answered', answer: { kind: 'again', cause: 'throttled' }, failedAt: 0, consumed: undefined }
            : server.writeTogether(process, entries),
        fail: (cause) => ({ kind: 'failed', cause, message: cause }),
      });
    },
    describeTable: (name, signal) =>
      call({ name: 'describe', detail: name, serve: () => server.describeTable(name), fail: thrown(name), signal }),
    backups: async () => ({ pointInTimeRecovery: undefined }),
    createTable: refuse,
    addIndex: refuse,
    enableTtl: refuse,
  };
}

const refuse = (): Promise<never> => Promise.reject(new Error('a run makes no tables'));

/** Between asking and sending, a process may die or freeze; what it has sent goes its way whatever becomes of it. */
function send<A>(network: Network, process: SimulatedProcess, given: Call<A>): Promise<A> {
  const { scheduler, trace } = network;
  return new Promise<A>((resolve, reject) => {
    const admission = process.admit();
    if (admission === 'drop') return;
    const answer = (make: () => A): void => {
      given.signal?.removeEventListener('abort', abort);
      try {
        resolve(make());
      } catch (error) {
        reject(error);
      }
    };
    const abort = (): void => reject(abortError(given.signal));
    if (given.signal?.aborted) return abort();
    given.signal?.addEventListener('abort', abort, { once: true });
    trace(`${process.name} asks: ${given.name} ${given.detail}`);
    const depart = (): void => travel(network, process, given, answer);
    if (admission === 'hold') scheduler.after(process, 0, `sends what it had asked for: ${given.name}`, depart);
    else depart();
  });
}

/** How long a client waits for an answer, or for word that its connection broke. */
const waitMs = { connection: 50, 'no-answer': 3_000 } as const;
/** A request that the network delivers twice comes the second time within this. */
const maxEchoMs = 1_500;

function travel<A>(network: Network, process: SimulatedProcess, given: Call<A>, answer: (make: () => A) => void): void {
  const { scheduler, random, weather } = network;
  const { name, serve, fail } = given;
  const fate = drawFate(weather(), random);
  network.onFate(fate.kind);
  const there = drawLatencyMs(weather(), random);
  const back = drawLatencyMs(weather(), random);
  const atServer = (delayMs: number, work: () => void): void => {
    scheduler.after(theWorld, delayMs, `serves ${process.name}: ${name}`, work);
  };
  const atProcess = (delayMs: number, what: string, make: () => A): void => {
    scheduler.after(process, delayMs, what, () => answer(make));
  };
  if (fate.kind === 'refused') {
    atProcess(there + back, `${name}: ${fate.cause}`, () => fail(fate.cause));
    return;
  }
  if (fate.kind === 'lost') {
    const { served, cause } = fate;
    if (served) atServer(there, () => void tried(serve));
    atProcess(there + back + waitMs[cause], `${name}: ${cause}`, () => fail(cause));
    return;
  }
  atServer(there, () => {
    const outcome = tried(serve);
    atProcess(back, `${name}: answered`, () => {
      const value = result(outcome);
      given.onAnswer?.(value);
      return value;
    });
  });
  if (fate.kind === 'doubled') atServer(there + random.below(maxEchoMs), () => void tried(serve));
}

type Tried<A> = { readonly value: A } | { readonly error: unknown };

function tried<A>(work: () => A): Tried<A> {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

function result<A>(outcome: Tried<A>): A {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function thrown(table: string): (cause: Exclude<RetryCause, 'unprocessed'>) => never {
  return (cause) => {
    const what = `${table}: ${cause}`;
    throw new TablewrightError(cause === 'throttled' ? 'THROTTLED' : 'STORE_FAILED', what, {
      repeatable: { cause, tries: 1, what },
    });
  };
}

/** A worker knows from a look at its claim, as of when it asked, that the unit is its own. */
function seeingClaim(process: SimulatedProcess, { PK, SK }: Item): (answer: { readonly item?: Item | undefined }) => void {
  const askedMs = process.nowMs();
  return ({ item }) => {
    if (process.unit === undefined || scalarText(PK) !== process.unit || scalarText(SK) !== 'CLAIM') return;
    const isOwn = item !== undefined && isClaimOf(item, process);
    process.lease = isOwn ? { token: numberIn(item, 'token'), until: askedMs + process.silenceMs } : { token: 0, until: 0 };
  };
}

/** As the worker signs it. Where that is damaged nobody can tell by it; the engine goes by token and attempt. */
export const isClaimOf = ({ by }: Item, { name }: SimulatedProcess): boolean =>
  by === undefined || !('S' in by) || by.S.endsWith(` on ${name}`);

/** What a process knows of its lock once this transaction is answered. */
function leaseAfter(known: SimulatedProcess['lease'], { TransactItems }: TransactRequest): SimulatedProcess['lease'] {
  for (const entry of TransactItems) {
    const key = 'Put' in entry ? entry.Put.Item : 'Update' in entry ? entry.Update.Key : {};
    if (!isLock(key)) continue;
    if ('Put' in entry) return { token: numberIn(entry.Put.Item, 'token'), until: numberIn(entry.Put.Item, 'leaseUntil') };
    if (!('Update' in entry) || known === undefined) continue;
    const set = new ExpressionReader(entry.Update).readUpdate(entry.Update.UpdateExpression)({});
    const until = numberIn(set, 'leaseUntil');
    return { ...known, until: until === 0 ? 0 : Math.max(known.until, until) };
  }
  return known;
}

/** Whose turn it is to speak for an execution, once this transaction is answered. */
function turnAfter(known: number | undefined, { TransactItems }: TransactRequest): number | undefined {
  for (const entry of TransactItems) {
    if (!('Update' in entry) || !isLock(entry.Update.Key)) continue;
    const set = new ExpressionReader(entry.Update).readUpdate(entry.Update.UpdateExpression)({});
    if (set.turn !== undefined) return numberIn(set, 'turn');
  }
  return known;
}

const lockKey = ledgerKey(lockRecord, { scope: lockScope });

export function isLock(item: Item): boolean {
  return scalarText(item.PK) === scalarText(lockKey.PK) && scalarText(item.SK) === scalarText(lockKey.SK);
}

const numberIn = (item: Item, name: string): number => Number(scalarText(item[name]) ?? 0);

/** Bytes as their number: what is in them is the same wherever the rest is. */
function text(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (part instanceof Uint8Array ? `${part.length} bytes` : part)) ?? '';
}

function shownEntries({ TransactItems }: TransactRequest): string {
  return TransactItems.map((entry) => {
    const [[kind, body] = ['', {}]] = Object.entries(entry) as [string, { Key?: unknown; Item?: unknown }][];
    return `${kind} ${text(body.Key ?? body.Item)}`;
  }).join('; ');
}
