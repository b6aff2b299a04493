import { TablewrightError } from '../../../tables/model/error.ts';
import type { Operation, OperationInput } from '../../../tables/model/operation.ts';
import type { ParamsOf, Pattern, PatternParams, ResultOf } from '../../../tables/model/pattern.ts';
import { type PatternName, type PatternNamed, patternsOf } from '../../../tables/tables.ts';
import { type Outcome, runOperation } from '../write/run-operation.ts';
import { answerPages, countRecords, type ReadRequest } from './answer.ts';
import { type Page, type PageOptions, type PageSupport, readPage } from './page.ts';
import { tableOf } from './read-pattern.ts';
import { type Consumed, Reading } from './reading.ts';

export interface ReaderOptions extends PageSupport {
  /** Told after every page, for metrics. */
  readonly onConsumed?: ((consumed: Consumed & { readonly pattern: string }) => void) | undefined;
}

export interface CallOptions {
  /** Stops the read; the iteration then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Sees every acknowledged write. Only for patterns on the table's own key; others are refused. */
  readonly consistent?: boolean | undefined;
  /** The most records to give. */
  readonly limit?: number | undefined;
}

/** Consistent reads are for the table's own key; an index has none. */
type OptionsOf<Name extends PatternName, Options> =
  PatternNamed<Name> extends { readonly index: string } ? Options & { readonly consistent?: false | undefined } : Options;

/** Parameters come first; where all of them are optional they may be left out. */
export type CallArguments<Name extends PatternName, Options> =
  Record<never, never> extends ParamsOf<PatternNamed<Name>>
    ? readonly [params?: ParamsOf<PatternNamed<Name>>, options?: OptionsOf<Name, Options>]
    : readonly [params: ParamsOf<PatternNamed<Name>>, options?: OptionsOf<Name, Options>];

export type RecordNamed<Name extends PatternName> = ResultOf<PatternNamed<Name>>;

/** Reads the catalogue's access patterns and carries out its operations, with the types of both. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #patterns: ReadonlyMap<string, Pattern>;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#patterns = new Map(patternsOf(options.environment.tables).map((pattern) => [pattern.name, pattern]));
  }

  /** The records of a pattern, one by one; pages are fetched as they are needed. */
  read<Name extends PatternName>(name: Name, ...call: CallArguments<Name, CallOptions>): Reading<RecordNamed<Name>> {
    const request = this.#request(name, call);
    const table = tableOf(this.#options.environment.tables, request.pattern);
    return new Reading<RecordNamed<Name>>({
      table,
      pattern: request.pattern,
      pages: () => answerPages(this.#options, request),
      onConsumed: this.#options.onConsumed,
    });
  }

  /** One page and the cursor of the next. */
  async page<Name extends PatternName>(name: Name, ...call: CallArguments<Name, PageOptions>): Promise<Page<RecordNamed<Name>>> {
    const [, options = {}] = call;
    const page = await readPage(this.#options, this.#request(name, call), options);
    this.#options.onConsumed?.({ ...page.consumed, pattern: name });
    return page as Page<RecordNamed<Name>>;
  }

  /** The first record by the pattern's order; undefined when there is none. */
  async first<Name extends PatternName>(
    name: Name,
    ...call: CallArguments<Name, Omit<CallOptions, 'limit'>>
  ): Promise<RecordNamed<Name> | undefined> {
    const [params, options] = call;
    const only = [params, { ...options, limit: 1 }] as unknown as CallArguments<Name, CallOptions>;
    for await (const record of this.read(name, ...only)) return record;
    return undefined;
  }

  /** Is there a record? */
  async exists<Name extends PatternName>(name: Name, ...call: CallArguments<Name, Omit<CallOptions, 'limit'>>): Promise<boolean> {
    const request = this.#request(name, call);
    const counted = await countRecords(this.#options, { ...request, options: { ...request.options, limit: 1 } });
    this.#options.onConsumed?.({ ...counted, pattern: name });
    return counted.records > 0;
  }

  /** How many records there are, up to the pattern's own limit; they are counted by DynamoDB and not fetched. */
  async count<Name extends PatternName>(name: Name, ...call: CallArguments<Name, CallOptions>): Promise<number> {
    const counted = await countRecords(this.#options, this.#request(name, call));
    this.#options.onConsumed?.({ ...counted, pattern: name });
    return counted.records;
  }

  /** Carries out one of the catalogue's operations: guarded writes that happen together or not at all. */
  run<Params extends PatternParams>(
    operation: Operation<Params>,
    params: OperationInput<Params>,
    signal?: AbortSignal,
  ): Promise<Outcome> {
    return runOperation(this.#options.environment, operation, params, signal);
  }

  #request(name: string, [params = {}, options = {}]: readonly [unknown?, CallOptions?]): ReadRequest {
    const pattern = this.#patterns.get(name);
    if (pattern === undefined) {
      throw new TablewrightError('UNKNOWN_NAME', `there is no pattern ${name} in this stack`, {
        next: "'tablewright patterns' lists all; tablewright:systems of the stack says which tables it has.",
      });
    }
    checkLimit(name, options.limit);
    return { pattern, params: params as Readonly<Record<string, unknown>>, options };
  }
}

function checkLimit(name: string, limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) return;
  throw new TablewrightError('BAD_ARGUMENT', `${name}: limit: expected a whole number of at least 1, found ${limit}`, {
    next: 'Ask for one record or more.',
  });
}
