import { TablewrightError } from '../../../tables/model/error.ts';
import type { Operation, OperationInput } from '../../../tables/model/operation.ts';
import type { ParamsOf, Pattern, PatternParams, ResultOf } from '../../../tables/model/pattern.ts';
import { type PatternName, type PatternNamed, type Project, patternsOf } from '../../../tables/model/project.ts';
import { type CheckedCall, checkCall, type Params, tableOf } from '../../core/read/checked-call.ts';
import type { CursorBinding, CursorSeal } from '../../core/read/cursor.ts';
import { checkLimit, type ReadOptions } from '../../core/read/read-options.ts';
import type { WriteEnvironment } from '../write/carry-out.ts';
import { type Outcome, type RunOptions, runOperation } from '../write/run-operation.ts';
import { type OldAnswer, planByState, type ReadPage, type ReadStates, sendPlan } from './read-pattern.ts';
import { type Consumed, consumedWith, nothingConsumed, Reading, readRecord } from './reading.ts';

export const defaultPageSize = 50;
export const maxPageSize = 1_000;

/** Tries the query beside an answer that came from a scan. Must neither throw nor make the reader wait. */
export interface ShadowReads {
  observe(pattern: Pattern, params: Params, answer: OldAnswer): void;
}

export interface ReaderOptions {
  readonly environment: WriteEnvironment;
  readonly states: ReadStates;
  readonly shadow?: ShadowReads | undefined;
  readonly cursors: CursorSeal;
  /** Told after every page, for metrics. */
  readonly onConsumed?: ((consumed: Consumed & { readonly pattern: string }) => void) | undefined;
}

interface AnyOptions {
  /** Stops the read; the iteration then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Sees every acknowledged write. Only for patterns on the table's own key; others are refused. */
  readonly consistent?: boolean | undefined;
  /** Last record first. Only for patterns that are sorted and have no limit of their own; others are refused. */
  readonly reverse?: boolean | undefined;
}

export interface CallOptions extends AnyOptions {
  /** The most records to give. */
  readonly limit?: number | undefined;
}

export interface PageOptions extends AnyOptions {
  /** Records in a page; the last page has fewer. */
  readonly size?: number | undefined;
  /** From the page before. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly records: readonly T[];
  /** Opaque; give it back with the same pattern, parameters and order for the page after. Undefined after the last one. */
  readonly cursor: string | undefined;
  readonly consumed: Consumed;
}

/** Consistent reads are for the table's own key; an index has none. The first few by an order have no other order. */
type OptionsOf<P extends Project, Name extends PatternName<P>, Options> = Options &
  (PatternNamed<P, Name> extends { readonly index: string } ? { readonly consistent?: false | undefined } : unknown) &
  (PatternNamed<P, Name> extends { readonly limit: number | string } ? { readonly reverse?: false | undefined } : unknown);

/** Parameters come first; where all of them are optional they may be left out. */
export type CallArguments<P extends Project, Name extends PatternName<P>, Options> =
  Record<never, never> extends ParamsOf<PatternNamed<P, Name>>
    ? readonly [params?: ParamsOf<PatternNamed<P, Name>>, options?: OptionsOf<P, Name, Options>]
    : readonly [params: ParamsOf<PatternNamed<P, Name>>, options?: OptionsOf<P, Name, Options>];

export type RecordNamed<P extends Project, Name extends PatternName<P>> = ResultOf<PatternNamed<P, Name>>;

/** One read as it was asked for. */
interface ReadRequest {
  readonly pattern: Pattern;
  readonly params: Params;
  readonly options: CallOptions;
}

/** Reads the catalogue's access patterns and carries out its operations, with the types of both. */
export class Reader<P extends Project = Project> {
  readonly #options: ReaderOptions;
  readonly #patterns: ReadonlyMap<string, Pattern>;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#patterns = new Map(patternsOf(options.environment.tables).map((pattern) => [pattern.name, pattern]));
  }

  /** The records of a pattern, one by one; pages are fetched as they are needed. */
  read<Name extends PatternName<P>>(name: Name, ...call: CallArguments<P, Name, CallOptions>): Reading<RecordNamed<P, Name>> {
    const request = this.#request(name, call);
    const { pattern } = request;
    const table = tableOf(this.#options.environment.tables, pattern);
    const pages = () => this.#pages(request);
    return new Reading<RecordNamed<P, Name>>({ table, pattern, pages, onConsumed: this.#options.onConsumed });
  }

  /** One page and the cursor of the next. */
  async page<Name extends PatternName<P>>(
    name: Name,
    ...call: CallArguments<P, Name, PageOptions>
  ): Promise<Page<RecordNamed<P, Name>>> {
    const [, { size = defaultPageSize, cursor } = {}]: readonly [unknown?, PageOptions?] = call;
    const request = this.#request(name, call);
    checkSize(name, size);
    const checked = this.#check(request);
    const binding = this.#binding(checked, request.options);
    const from = cursor === undefined ? undefined : this.#options.cursors.open(binding, cursor);
    // A filter may leave a page of DynamoDB's short, so several make one of ours.
    const pages: ReadPage[] = [];
    for await (const page of this.#pages(request, { limit: size, from }, checked)) pages.push(page);
    const items = pages.flatMap((page) => page.items);
    const position = pages.at(-1)?.position;
    const consumed = this.#consumed(name, pages);
    return {
      records: items.map((item) => readRecord(checked.table, checked.pattern, item) as RecordNamed<P, Name>),
      cursor: position === undefined ? undefined : this.#options.cursors.seal(binding, position),
      consumed,
    };
  }

  /** The first record by the pattern's order; undefined when there is none. */
  async first<Name extends PatternName<P>>(
    name: Name,
    ...call: CallArguments<P, Name, Omit<CallOptions, 'limit'>>
  ): Promise<RecordNamed<P, Name> | undefined> {
    const [params, options] = call;
    const only = [params, { ...options, limit: 1 }] as unknown as CallArguments<P, Name, CallOptions>;
    for await (const record of this.read(name, ...only)) return record;
    return undefined;
  }

  /** Is there a record? */
  async exists<Name extends PatternName<P>>(
    name: Name,
    ...call: CallArguments<P, Name, Omit<CallOptions, 'limit'>>
  ): Promise<boolean> {
    return (await this.#count(this.#request(name, call), { limit: 1 })) > 0;
  }

  /** How many records there are, up to the pattern's own limit; they are counted by DynamoDB and not fetched. */
  async count<Name extends PatternName<P>>(name: Name, ...call: CallArguments<P, Name, CallOptions>): Promise<number> {
    return this.#count(this.#request(name, call), {});
  }

  /** Carries out one of the catalogue's operations: guarded writes that happen together or not at all. */
  run<Params extends PatternParams>(
    operation: Operation<Params>,
    params: OperationInput<Params>,
    options?: RunOptions,
  ): Promise<Outcome> {
    return runOperation(this.#options.environment, operation, params, options);
  }

  #request(name: string, [params = {}, options = {}]: readonly [unknown?, CallOptions?]): ReadRequest {
    const pattern = this.#patterns.get(name);
    if (pattern === undefined) {
      throw new TablewrightError('UNKNOWN_NAME', `there is no pattern ${name} in this stack`, {
        next: "'tablewright patterns' lists all; tablewright:systems of the stack says which tables it has.",
      });
    }
    checkLimit(name, options.limit);
    return { pattern, params: params as Params, options };
  }

  #check({ pattern, params }: ReadRequest): CheckedCall {
    return checkCall(this.#options.environment.tables, pattern, params);
  }

  /** Planned once, by the way that the pattern's state asks for, then sent. */
  async *#pages(request: ReadRequest, more: ReadOptions = {}, call = this.#check(request)): AsyncGenerator<ReadPage> {
    const { environment, shadow } = this.#options;
    const { limit, reverse, consistent, signal } = request.options;
    const plan = await planByState(this.#options, call, { limit, reverse, consistent, ...more }, signal);
    const onShadow = (answer: OldAnswer) => shadow?.observe(request.pattern, request.params, answer);
    yield* sendPlan(environment, plan, { signal, onShadow });
  }

  async #count(request: ReadRequest, more: ReadOptions): Promise<number> {
    const pages: ReadPage[] = [];
    for await (const page of this.#pages(request, { count: true, ...more })) pages.push(page);
    return this.#consumed(request.pattern.name, pages).records;
  }

  #consumed(pattern: string, pages: readonly ReadPage[]): Consumed {
    const consumed = pages.reduce(consumedWith, nothingConsumed);
    this.#options.onConsumed?.({ ...consumed, pattern });
    return consumed;
  }

  #binding({ pattern, params }: CheckedCall, { reverse = false }: CallOptions): CursorBinding {
    return { stack: this.#options.environment.names.stack, pattern: pattern.name, params, reverse };
  }
}

function checkSize(name: string, size: number): void {
  if (Number.isSafeInteger(size) && size >= 1 && size <= maxPageSize) return;
  throw new TablewrightError('BAD_ARGUMENT', `${name}: size: expected a whole number from 1 to ${maxPageSize}, found ${size}`, {
    next: `Leave it out for ${defaultPageSize}.`,
  });
}
