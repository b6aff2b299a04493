import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import type { Entity, InputOf, RecordOf } from '../../../tables/model/entity.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { buildItem, entityOf, keyOf, showKey } from '../../../tables/model/item.ts';
import type { Operation, OperationInput, Write } from '../../../tables/model/operation.ts';
import type { PatternParams } from '../../../tables/model/pattern.ts';
import { anothers, changeWrites, createWrites, removeWrites } from '../../../tables/model/record-writes.ts';
import { patternCall } from '../../../tables/model/reference.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { tryReadRecord } from '../../../tables/model/unmarshal.ts';
import { itemBytes, maxItemBytes } from '../../core/item/item-size.ts';
import { contentionPolicy, decideRetry } from '../../core/store/retry-policy.ts';
import { checkCallOptions, checkObject } from '../../core/write/check-call.ts';
import {
  type ChangesOf,
  checkChanges,
  itemOfRecord,
  type KeyedOf,
  keeperProblems,
  keyOfRecord,
  nameOf,
  type RecordCall,
} from '../../core/write/record-call.ts';
import { readAll } from '../read/read-pattern.ts';
import { getOne } from '../store/read-keys.ts';
import { type CarryOptions, carryOut, conflict, type WriteEnvironment } from './carry-out.ts';
import { type Outcome, type RunOptions, runOperation, tokenOf } from './run-operation.ts';

/**
 * `exists`: there is one under this key. `changed`: it is no longer as it was read. `not-found`: it is gone, or never was. Of a
 * refused write, and all that was to happen together with it, nothing has happened.
 */
export type WriteRefusal = 'exists' | 'changed' | 'not-found';

export type WriteOutcome =
  /** `written`: false when it was as wanted already and nothing was sent. */
  | { readonly outcome: 'applied'; readonly written: boolean }
  /** `record` is the one that was in the way: table, entity and key. */
  | { readonly outcome: 'refused'; readonly reason: WriteRefusal; readonly record: string };

export type WriteCallOptions = CarryOptions;

/** Gives a record as it is its changes; undefined for none. May be asked again, about a record that somebody has changed meanwhile. */
export type ChangeFunction<E extends Entity> = (
  record: RecordOf<E>,
) => ChangesOf<E> | undefined | Promise<ChangesOf<E> | undefined>;

/** Takes writes that are to happen together. */
export interface Together {
  put<E extends Entity>(entity: E, record: InputOf<E>): void;
  update<E extends Entity>(entity: E, record: RecordOf<E>, changes: ChangesOf<E>): void;
  remove<E extends Entity>(entity: E, record: RecordOf<E>): void;
}

interface Call extends RecordCall {
  readonly changes?: Readonly<Record<string, unknown>>;
}

type Planned = { readonly writes: readonly Write[] } | { readonly refused: WriteOutcome };

/**
 * Writes records of the catalogue. Every write is a transaction whose conditions keep it from overwriting what somebody else wrote
 * in between, and whose token lets it be sent again after a lost answer.
 */
export class Writer {
  readonly #environment: WriteEnvironment;

  constructor(environment: WriteEnvironment) {
    this.#environment = environment;
  }

  /** Creates a record, with its keys, index attributes and ttl, and what goes with it. One that is there is never replaced. */
  async put<E extends Entity>(entity: E, record: InputOf<E>, options: WriteCallOptions = {}): Promise<WriteOutcome> {
    return this.#write([this.#call('put', entity, record)], options);
  }

  /**
   * Gives a record other values: one as it was read, with its changes, refused if it is no longer so; or the one of a key, by
   * a function of what it is now, which is asked again as often as somebody else was faster.
   */
  update<E extends Entity, const C extends ChangesOf<E> | undefined>(
    entity: E,
    key: KeyedOf<E>,
    change: (record: RecordOf<E>) => C | Promise<C>,
    options?: WriteCallOptions,
  ): Promise<WriteOutcome>;
  update<E extends Entity>(
    entity: E,
    record: RecordOf<E>,
    changes: ChangesOf<E>,
    options?: WriteCallOptions,
  ): Promise<WriteOutcome>;
  async update<E extends Entity>(
    entity: E,
    record: KeyedOf<E>,
    change: ChangesOf<E> | ChangeFunction<E>,
    options: WriteCallOptions = {},
  ): Promise<WriteOutcome> {
    const call = this.#call('update', entity, record);
    if (typeof change !== 'function') return this.#write([{ ...call, changes: change }], options);
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#changeOnce(call, change as ChangeFunction<Entity>, options);
      if (outcome.outcome === 'applied' || outcome.reason !== 'changed') return outcome;
      const decision = decideRetry(tries, 'unprocessed', contentionPolicy, this.#environment.random());
      if (decision.kind === 'give-up') throw conflict(nameOf(call), tries);
      await this.#environment.sleep(decision.delayMs, options.signal);
    }
  }

  /** Takes a record away that is as it was read, with what goes with it. */
  async remove<E extends Entity>(entity: E, record: RecordOf<E>, options: WriteCallOptions = {}): Promise<WriteOutcome> {
    return this.#write([this.#call('remove', entity, record)], options);
  }

  /** Writes of several records that happen all or not at all: at most 100, what goes with them counted. */
  async together(collect: (all: Together) => void | Promise<void>, options: WriteCallOptions = {}): Promise<WriteOutcome> {
    const calls: Call[] = [];
    let isOver = false;
    const add = (call: Call): void => {
      if (isOver) throw tooLate(call);
      calls.push(call);
    };
    await collect({
      put: (entity, record) => add(this.#call('put', entity, record)),
      update: (entity, record, changes) => add({ ...this.#call('update', entity, record), changes }),
      remove: (entity, record) => add(this.#call('remove', entity, record)),
    });
    isOver = true;
    return this.#write(calls, options);
  }

  /** Carries out one of the catalogue's operations. */
  run<Params extends PatternParams>(
    operation: Operation<Params>,
    params: OperationInput<Params>,
    options?: RunOptions,
  ): Promise<Outcome> {
    return runOperation(this.#environment, operation, params, options);
  }

  #call(kind: RecordCall['kind'], entity: Entity, record: unknown): Call {
    checkObject(kind, 'an entity of the catalogue', entity);
    const table = this.#environment.tables.find(({ entities }) => entities.includes(entity));
    if (table === undefined) {
      throw new TablewrightError('UNKNOWN_NAME', `${entity.name}: its table is not deployed in this stack`, {
        next: 'Add its system to tablewright:systems of the stack, or use another stack.',
      });
    }
    checkObject(nameOf({ table, entity }), 'a record', record);
    return { kind, table, entity, record: record as RecordCall['record'] };
  }

  async #write(calls: readonly Call[], options: WriteCallOptions): Promise<WriteOutcome> {
    const name = [...new Set(calls.map(nameOf))].join(', ');
    checkCallOptions(name, options);
    checkKeepers(name, calls);
    const writes: Write[] = [];
    for (const call of calls) {
      const planned = await this.#plan(call, options.signal);
      if ('refused' in planned) return planned.refused;
      writes.push(...planned.writes);
    }
    return this.#send(name, writes, options);
  }

  async #plan(call: Call, signal: AbortSignal | undefined): Promise<Planned> {
    const { table, entity } = call;
    if (call.kind === 'put') return this.#planPut(call, signal);
    const item = itemOfRecord(call);
    if (call.kind === 'remove') return { writes: removeWrites(table, entity, item) };
    return { writes: changesOf(call, item, call.changes) };
  }

  async #planPut(call: Call, signal: AbortSignal | undefined): Promise<Planned> {
    const { table, entity, record } = call;
    const item = buildItem(table, entity, record as InputOf<Entity>);
    checkSize(call, item);
    for (const { orBy } of entity.companions) {
      if (orBy === undefined) continue;
      const { pattern, params } = patternCall(this.#environment.tables, orBy, {
        [orBy.attribute]: scalarText(item[orBy.attribute]),
      });
      const { items } = await readAll(this.#environment, pattern, params, { signal });
      const other = items.find((one) => keyIdentity(table.key, one) !== keyIdentity(table.key, item));
      if (other !== undefined) return { refused: { outcome: 'refused', reason: 'exists', record: describeRecord(table, other) } };
    }
    return { writes: createWrites(table, entity, item, 'exists') };
  }

  async #changeOnce(call: Call, change: ChangeFunction<Entity>, options: WriteCallOptions): Promise<WriteOutcome> {
    const { table, entity } = call;
    checkCallOptions(nameOf(call), options);
    checkKeepers(nameOf(call), [call]);
    const key = keyOfRecord(call);
    const item = await this.#get(table, key, options.signal);
    if (item === undefined) return { outcome: 'refused', reason: 'not-found', record: describeRecord(table, key) };
    const read = tryReadRecord(entity, item);
    if ('problems' in read) throw badRecord(call, key, read.problems);
    const changes = await change(read.record);
    if (changes === undefined) return { outcome: 'applied', written: false };
    return this.#send(nameOf(call), changesOf(call, item, changes), options);
  }

  async #send(name: string, writes: readonly Write[], options: WriteCallOptions): Promise<WriteOutcome> {
    if (writes.length === 0) return { outcome: 'applied', written: false };
    checkOnce(name, writes);
    const refusal = await carryOut(this.#environment, name, { writes }, options);
    const write = refusal === undefined ? undefined : writes[refusal.at];
    if (refusal === undefined || write === undefined) return { outcome: 'applied', written: true };
    if (refusal.reason === anothers) {
      // Another transaction, so a token of its own.
      const token = tokenOf(this.#environment, options.token, writes.length);
      return this.#send(name, writes.toSpliced(refusal.at, 1), { ...options, token });
    }
    const key = keyOfWrite(write);
    const isGone = refusal.reason === 'changed' && (await this.#get(write.table, key, options.signal)) === undefined;
    const reason = isGone ? 'not-found' : (refusal.reason as WriteRefusal);
    return { outcome: 'refused', reason, record: describeRecord(write.table, key) };
  }

  async #get(table: Table, key: Item, signal: AbortSignal | undefined): Promise<Item | undefined> {
    const request = { TableName: physicalName(table, this.#environment.names), Key: key, ConsistentRead: true };
    return (await getOne(this.#environment, request, signal)).item;
  }
}

function changesOf(call: Call, item: Item, given: Call['changes']): readonly Write[] {
  const { table, entity } = call;
  checkObject(nameOf(call), 'changes by the names of attributes', given);
  const values = checkChanges(table, entity, item, given ?? {});
  const changed = 'problems' in values ? values : changeWrites(table, entity, item, values);
  if ('writes' in changed) return changed.writes;
  throw new TablewrightError('BAD_ITEM', `${nameOf(call)}: the record cannot be changed so`, {
    problems: changed.problems,
    next: `Correct the attributes; 'tablewright tables ${table.name}' lists what ${entity.name} takes.`,
  });
}

/** A write that came when the others were on their way would be lost without a word. */
function tooLate(call: Call): TablewrightError {
  return new TablewrightError('BAD_ARGUMENT', `${nameOf(call)}: the others are on their way already`, {
    next: "Wait within the function for what it needs ('await'), then name the writes.",
  });
}

function checkKeepers(name: string, calls: readonly Call[]): void {
  const problems = keeperProblems(calls);
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_ARGUMENT', `${name}: this is not written by itself`, {
    problems,
    next: 'Run the operation that is named, or write the record that it goes with.',
  });
}

function checkSize(call: Call, item: Item): void {
  const bytes = itemBytes(item);
  if (bytes <= maxItemBytes) return;
  throw new TablewrightError('BAD_ITEM', `${nameOf(call)}: the item has ${bytes} bytes, DynamoDB holds at most ${maxItemBytes}`, {
    next: 'Write less in one record.',
  });
}

/** DynamoDB API reference, TransactWriteItems: one action per item. */
function checkOnce(name: string, writes: readonly Write[]): void {
  const seen = new Set<string>();
  const twice = writes.filter((write) => {
    const id = `${write.table.name} ${keyIdentity(write.table.key, keyOfWrite(write))}`;
    return seen.has(id) || !seen.add(id);
  });
  if (twice.length === 0) return;
  throw new TablewrightError('BAD_ARGUMENT', `${name}: a record is written twice in one transaction`, {
    problems: twice.map((write) => describeRecord(write.table, keyOfWrite(write))),
    next: 'Write each record once, with all its changes.',
  });
}

function keyOfWrite(write: Write): Item {
  return write.kind === 'put' ? keyOf(write.table, write.item) : write.key;
}

function describeRecord(table: Table, item: Item): string {
  return `${table.name}/${entityOf(table, item)?.name ?? 'record'} ${showKey(table, item)}`;
}

function badRecord(call: Call, key: Item, problems: readonly string[]): TablewrightError {
  return new TablewrightError('BAD_ITEM', `${describeRecord(call.table, key)} is not a valid ${call.entity.name}`, {
    problems,
    next: "Correct the record, or run the migration that repairs it ('tablewright status').",
  });
}
