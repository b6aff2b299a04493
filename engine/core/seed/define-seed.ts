import { checkDefinition, type KnownOptions, optional, optionProblems, required } from '../../../tables/model/check-options.ts';
import type { Entity, InputOf } from '../../../tables/model/entity.ts';
import type { Table } from '../../../tables/model/table.ts';

/** Only the parts of a table that a fixture names it by; any table of the catalogue fits. */
export type FixtureTable = Omit<Table, 'patterns'>;

/** Records of one entity in a file: JSON (an array), JSONL, CSV (dotted columns for maps), or TypeScript (default export). */
export interface EntityFile {
  readonly kind: 'file';
  readonly table: FixtureTable;
  /** Left out when every record names its own in `$entity`. */
  readonly entity?: Entity;
  /** Beside the set's `seed.ts`. */
  readonly path: string;
}

/** Records written in the declaration itself. */
export interface Records {
  readonly kind: 'records';
  readonly table: FixtureTable;
  readonly entity: Entity;
  readonly records: readonly unknown[];
}

/** Whole items in DynamoDB JSON, `{"Item":{…}}` a line, stored as they are: no schema, no derived attributes. */
export interface RawFile {
  readonly kind: 'raw';
  readonly table: FixtureTable;
  readonly path: string;
}

export type Fixture = EntityFile | Records | RawFile;

/** Beside its attributes a record may carry this: a time such as `now+90d` in place of the ttl that its entity derives. */
export interface RecordDirectives {
  readonly $ttl?: string;
}

export const file = (table: FixtureTable, entity: Entity, path: string): EntityFile => ({ kind: 'file', table, entity, path });

/** A file whose records each say in `$entity` what they are. */
export const mixedFile = (table: FixtureTable, path: string): EntityFile => ({ kind: 'file', table, path });

export const rawFile = (table: FixtureTable, path: string): RawFile => ({ kind: 'raw', table, path });

export function records<E extends Entity>(
  table: FixtureTable,
  entity: E,
  list: readonly (InputOf<E> & RecordDirectives)[],
): Records {
  return { kind: 'records', table, entity, records: list };
}

/** One record of a generator. */
export interface GeneratedRecord {
  readonly table: FixtureTable;
  readonly entity: Entity;
  readonly record: Readonly<Record<string, unknown>>;
}

export interface VolumeOptions {
  /** Exactly so many records are yielded. */
  readonly count: number;
  /** Same seed, same base: same records. */
  readonly seed: number;
  /** The present of the data, in seconds since 1970; all times are counted from it. */
  readonly base: number;
}

/** Made-up data in any amount. */
export interface Volume {
  /**
   * One record after another, nothing kept: memory must not grow with the count. The same options give the same records, and a
   * larger count goes on where a smaller one ended, but for its last group of records, which is cut to fit. Keys carry
   * the seed, so that two seeds never meet.
   */
  readonly generate: (options: VolumeOptions) => Iterable<GeneratedRecord>;
  /** After this long its first records expire, and a further run counts its times from the present. For ever when left out. */
  readonly freshSeconds?: number;
}

export interface SeedOptions {
  readonly description: string;
  /** What `--system` chooses it by; left out for a set of several systems. */
  readonly system?: string;
  /** The stacks that may be seeded with it, `local` among them. A production stack is refused whatever stands here. */
  readonly stacks: readonly [string, ...string[]];
  /** Loaded only when it is named. */
  readonly onRequest?: boolean;
  /**
   * What `now` is on a later run: `follow` counts from the first load until a record's ttl is nearly over, then from the
   * run that notices; `once` counts from the first load for ever.
   */
  readonly times?: 'follow' | 'once';
  /** Other sets that hold what this one refers to. */
  readonly uses?: readonly string[];
  readonly fixtures?: readonly Fixture[];
  readonly volume?: Volume;
}

/** A seed set: data plus this declaration, in `seeds/<name>/seed.ts`. */
export type SeedDeclaration = SeedOptions & Required<Pick<SeedOptions, 'onRequest' | 'times' | 'uses' | 'fixtures'>>;

const seedOptions: KnownOptions<SeedOptions> = {
  description: required('text'),
  system: optional('text'),
  stacks: required('list'),
  onRequest: optional(),
  times: optional(['follow', 'once']),
  uses: optional('list'),
  fixtures: optional('list'),
  volume: optional('object'),
};

export function defineSeed(options: SeedOptions): SeedDeclaration {
  checkDefinition('seed', optionProblems(options, seedOptions));
  return { onRequest: false, times: 'follow', uses: [], fixtures: [], ...options };
}

/** What generators are written with. */
export * from './fill-count.ts';
export * from './fixed-point.ts';
export * from './random.ts';
export { spellTime } from './relative-time.ts';
