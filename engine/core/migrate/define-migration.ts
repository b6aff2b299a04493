import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { checkDefinition, type KnownOptions, optional, optionProblems, required } from '../../../tables/model/check-options.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { keyAttributes, type Table } from '../../../tables/model/table.ts';

/** What a backfill does to one item: attributes to set, to remove, or both. Nothing to do is `undefined`. */
export type ItemChange =
  | { readonly set: Item; readonly remove?: readonly string[] | undefined }
  | { readonly set?: Item | undefined; readonly remove: readonly string[] };

interface SegmentedStep {
  readonly name: string;
  readonly table: Table;
  /** Items of other entities are passed over; every item of the table when left out. */
  readonly entities?: readonly Entity[];
  /** The attributes that the function sees, beside the key. A change is written only if they are still as they were. */
  readonly reads: readonly string[];
  /** Items whose TTL has passed are about to be deleted: left alone unless said otherwise. */
  readonly expired?: 'skip' | 'include';
  /** Strongly consistent reads in the backfill itself, at twice the read units. The verify pass always has them. */
  readonly consistent?: boolean;
  /**
   * An attribute that every write of the step sets as well, to the migration and its generation: consumers of the table's
   * stream skip a record whose mark is another than before.
   */
  readonly mark?: string;
  /** `paused`: no event source mapping of the table's streams may be enabled when the step is run. */
  readonly consumers?: 'paused';
}

/** Sets or removes attributes of items that are there. */
export interface BackfillStep extends SegmentedStep {
  readonly kind: 'backfill';
  /** The attributes that the function may set or remove. Given, only what is needed is read; left out, whole items are. */
  readonly writes?: readonly string[];
  /** A small table that is read whole before each pass, for changes that need to know more than the item tells. */
  readonly lookup?: { readonly table: Table; readonly reads: readonly string[] };
  /**
   * Pure: the same item gives the same change, now and in a later verify pass. `lookup` is by the table's key. What it is given
   * is frozen.
   */
  readonly change: (item: Item, entity: Entity | undefined, lookup: Lookup) => ItemChange | undefined;
}

/** The items of a lookup table that have not expired, by the text of their key. */
export type Lookup = ReadonlyMap<string, Item>;

/** Adds items that follow from items that are there. An item with the same key is never replaced. */
export interface InsertStep extends SegmentedStep {
  readonly kind: 'insert';
  /** Pure: new keys follow from the item, too. The items go into the same table. What it is given is frozen. */
  readonly items: (item: Item, entity: Entity | undefined) => readonly Item[];
  /**
   * What is wrong when `there` is under the key of the new item `made`: then the item that it follows from becomes a dead letter
   * with this reason. Undefined, and wherever this is left out: it may stay as it is. Pure.
   */
  readonly taken?: (there: Item, made: Item) => string | undefined;
}

/** Waits until the indexes can be read. */
export interface WaitForIndexStep {
  readonly kind: 'wait-for-index';
  readonly name: string;
  readonly table: Table;
  readonly indexes: readonly string[];
  readonly maxWaitMs?: number;
}

/**
 * Sees that an index of the catalogue is there and can be read, once no record was found that it would make unwritable. A deployed
 * stack gets it by Pulumi alone; a local one from the step.
 */
export interface AddIndexStep {
  readonly kind: 'add-index';
  readonly name: string;
  readonly table: Table;
  readonly index: string;
  readonly maxWaitMs?: number;
}

/** Sees that an index which the catalogue no longer has is gone: dropped by Pulumi, or on a local stack by the step. No rollback. */
export interface DropIndexStep {
  readonly kind: 'drop-index';
  readonly name: string;
  readonly table: Table;
  readonly index: string;
}

/** How it is known that nobody writes attributes any more. */
export type StoppedWriting =
  /** A record has an attribute with the time that it was made, and the last writer that set the others was replaced at this one (ISO 8601). */
  | { readonly createdAt: string; readonly since: string }
  /** Records carry no time: those with the attributes are counted, and again after this long; there may not be more. */
  | { readonly watchMs: number };

/** Goes on only if no record was made with the attributes since the catalogue stopped deriving them. */
export interface StoppedStep {
  readonly kind: 'stopped';
  readonly name: string;
  readonly table: Table;
  readonly entities: readonly Entity[];
  readonly attributes: readonly string[];
  readonly proof: StoppedWriting;
}

/** What custom code is given. Its checkpoint survives a crash; whatever it does must bear being repeated from there. */
export interface CustomHandle {
  readonly checkpoint: unknown;
  /** Fenced like every ledger write: throws when the lock is lost. */
  save(checkpoint: unknown): Promise<void>;
  /**
   * Takes and gives plain objects. Every call waits for the table's budget and is repeated when it is throttled; a page
   * without a Limit may cost 128 units at once. Numbers come as NumberValue: no digit is lost, `value` is their text.
   */
  readonly client: DynamoDBDocument;
  /** The physical name of a table in this stack. */
  readonly nameOf: (table: Table) => string;
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
}

export interface CustomStep {
  readonly kind: 'custom';
  readonly name: string;
  readonly run: (handle: CustomHandle) => Promise<void>;
  /** How many things are left to do; 0 proves that it is complete. */
  readonly verify?: (handle: Omit<CustomHandle, 'save'>) => Promise<number>;
  readonly undo?: (handle: CustomHandle) => Promise<void>;
}

/** Lets readers of the patterns use the Query, each only if its index is ACTIVE, its backfill verified and parity holds. */
export interface CutoverStep {
  readonly kind: 'cutover';
  readonly name: string;
  readonly patterns: readonly Pattern[];
  /** Those of this index only. */
  readonly to?: { readonly table: Pick<Table, 'name' | 'indexes'>; readonly index: string };
}

/** Exports a table as it is, before something risky is done to it. Portable, so it works on every stack; resumable. */
export interface ExportStep {
  readonly kind: 'export';
  readonly name: string;
  readonly table: Table;
  /** `s3://bucket/prefix` or a directory; the stack's own bucket when left out. */
  readonly to?: string;
}

/** Imports an export into a table; goes on where it was when it is interrupted. Items of the same key are replaced. */
export interface ImportStep {
  readonly kind: 'import';
  readonly name: string;
  readonly table: Table;
  readonly from: string;
  /** Leave items alone that are there. */
  readonly skipExisting?: boolean;
}

export type Step =
  | BackfillStep
  | InsertStep
  | WaitForIndexStep
  | AddIndexStep
  | DropIndexStep
  | StoppedStep
  | CutoverStep
  | ExportStep
  | ImportStep
  | CustomStep;

/** A step that is a pass over a table, cut into segments. */
export type PassStep = BackfillStep | InsertStep;

/** When a migration belongs: before the application of its release is deployed, or after. */
export const phases = ['before-deploy', 'after-deploy'] as const;
export type Phase = (typeof phases)[number];

export interface Migration {
  /** The name of its file without the ending: `0001-index-oms-config`. */
  readonly id: string;
  readonly description: string;
  /** `after-deploy` when left out: from then on nobody writes the old form. */
  readonly phase?: Phase;
  readonly needs: {
    readonly migrations: readonly string[];
    /** Tables that must be there with these indexes ACTIVE, beside those that the steps name. */
    readonly indexes: readonly { readonly table: Table; readonly indexes: readonly string[] }[];
  };
  readonly steps: readonly Step[];
}

export interface MigrationOptions {
  readonly id: string;
  readonly description: string;
  readonly phase?: Phase;
  readonly needs?: Partial<Migration['needs']>;
  readonly steps: readonly Step[];
}

const migrationOptions: KnownOptions<MigrationOptions> = {
  id: required('text'),
  description: required('text'),
  phase: optional(),
  needs: optional('object'),
  steps: required('list'),
};

const needsOptions: KnownOptions<Partial<Migration['needs']>> = { migrations: optional('list'), indexes: optional('list') };

export function defineMigration(options: MigrationOptions): Migration {
  const { needs = {}, ...rest } = options;
  // A misspelt need would be none: the migration would run before what it waits for.
  checkDefinition(`migration ${options.id}`, [
    ...optionProblems(options, migrationOptions),
    ...optionProblems(needs, needsOptions).map((problem) => `needs.${problem}`),
  ]);
  return { ...rest, needs: { migrations: needs.migrations ?? [], indexes: needs.indexes ?? [] } };
}

export const backfill = (step: Omit<BackfillStep, 'kind'>): BackfillStep => ({ ...step, kind: 'backfill' });
export const insertItems = (step: Omit<InsertStep, 'kind'>): InsertStep => ({ ...step, kind: 'insert' });
export const custom = (step: Omit<CustomStep, 'kind'>): CustomStep => ({ ...step, kind: 'custom' });

export function waitForIndexes(table: Table, ...indexes: readonly string[]): WaitForIndexStep {
  return { kind: 'wait-for-index', name: `wait for ${indexes.join(', ')} of ${table.name}`, table, indexes };
}

/** The index, made and filled before anything reads it; see `AddIndexStep`. */
export function addIndex(table: Table, index: string, options: Pick<AddIndexStep, 'maxWaitMs'> = {}): AddIndexStep {
  return { kind: 'add-index', name: `add ${index} to ${table.name}`, table, index, ...options };
}

/** The index that nothing reads any more; see `DropIndexStep`. */
export function dropIndex(table: Table, index: string): DropIndexStep {
  return { kind: 'drop-index', name: `drop ${index} of ${table.name}`, table, index };
}

export interface RemoveOptions {
  readonly table: Table;
  readonly entities: readonly Entity[];
  /** Those that a key of the table or of an index uses stay. */
  readonly attributes: readonly string[];
  readonly proof: StoppedWriting;
}

/** Takes attributes out that the catalogue no longer derives, in a journalled pass, once nobody writes them any more. */
export function removeAttributes({ table, entities, attributes, proof }: RemoveOptions): readonly [StoppedStep, BackfillStep] {
  const keys = new Set(keyAttributes(table).map(({ name }) => name));
  const derived = new Set(entities.flatMap(({ derive }) => derive.flatMap(({ set }) => Object.keys(set))));
  const removed = attributes.filter((name) => !keys.has(name) && !derived.has(name));
  const names = attributes.join(', ');
  return [
    { kind: 'stopped', name: `nobody writes ${names} to ${table.name}`, table, entities, attributes: removed, proof },
    {
      kind: 'backfill',
      name: `take ${names} out of ${table.name}`,
      table,
      entities,
      reads: [],
      writes: removed,
      expired: 'include',
      change: () => ({ remove: removed }),
    },
  ];
}

/** Every pattern of the tables that was once read otherwise. */
export function cutOver(...tables: readonly Pick<Table, 'name' | 'patterns'>[]): CutoverStep {
  const patterns = tables.flatMap((table) => Object.values(table.patterns)).filter((pattern) => pattern.legacy !== undefined);
  return { kind: 'cutover', name: `cut over ${tables.map((table) => table.name).join(', ')}`, patterns };
}

/** Those of its patterns that are read by this index now and were read otherwise before. */
export function cutOverTo(table: Pick<Table, 'name' | 'indexes' | 'patterns'>, index: string): CutoverStep {
  const patterns = Object.values(table.patterns).filter((pattern) => pattern.legacy !== undefined && pattern.index === index);
  return { kind: 'cutover', name: `cut over ${table.name} to ${index}`, patterns, to: { table, index } };
}

/** An export of the table as it is when the step is reached. */
export function exportBefore(table: Table, to?: string): ExportStep {
  return { kind: 'export', name: `export ${table.name}`, table, ...(to === undefined ? {} : { to }) };
}

export function importInto(table: Table, from: string, options: Pick<ImportStep, 'skipExisting'> = {}): ImportStep {
  return { kind: 'import', name: `import ${from} into ${table.name}`, table, from, ...options };
}

export function phaseOf({ phase = 'after-deploy' }: Pick<Migration, 'phase'>): Phase {
  return phase;
}

export function isPass(step: Step): step is PassStep {
  return isPassKind(step.kind);
}

/** By the kind that the ledger says a step was of. */
export function isPassKind(kind: string): kind is PassStep['kind'] {
  return kind === 'backfill' || kind === 'insert';
}

/** On the function itself, under a symbol that another copy of this module knows too. */
const sentenceOf = Symbol.for('tablewright.toWrite');

/** Stands where a function is still to be written: a migration with one in it is not run, and the sentence says why. */
export function toWrite(sentence: string): () => never {
  const fail = (): never => {
    throw new Error(sentence);
  };
  return Object.assign(fail, { [sentenceOf]: sentence });
}

/** What is still to be written in a migration, a sentence each. */
export function unwrittenIn({ steps }: Migration): readonly string[] {
  const members = steps.flatMap((step) => Object.values(step) as readonly unknown[]);
  return members.flatMap((member) => {
    const sentence = typeof member === 'function' ? (member as { readonly [sentenceOf]?: string })[sentenceOf] : undefined;
    return sentence === undefined ? [] : [sentence];
  });
}

/** The tables that a migration touches or needs, each once. */
export function tablesOfMigration(migration: Migration): readonly Table[] {
  const stepped = migration.steps.flatMap((step) => ('table' in step ? [step.table] : []));
  return [...new Set([...stepped, ...migration.needs.indexes.map(({ table }) => table)])];
}
