import type { Index, KeySchema } from '../../../tables/model/table.ts';

/*
 * A first definition of a table, as plain data: what was found out of a real table, before it becomes a file for people to
 * correct. `draft-text.ts` writes it, `draft-model.ts` makes a table of it, so that it can be proven before it is written.
 */

/** Which of the attribute kinds of the model; the names are those of its functions. */
export type SimpleKind =
  | 'text'
  | 'note'
  | 'flag'
  | 'decimal'
  | 'integer'
  | 'epochSeconds'
  | 'isoTime'
  | 'isoDay'
  | 'brazilianTime'
  | 'bytes'
  | 'plainData';

export type KindDraft =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'known'; readonly values: readonly [string, ...string[]] }
  | { readonly kind: 'list'; readonly element: KindDraft }
  /** A map whose member names are data. */
  | { readonly kind: 'record'; readonly value: KindDraft }
  /** A map whose member names are always the same. */
  | { readonly kind: 'map'; readonly members: Readonly<Record<string, MemberDraft>> };

export interface MemberDraft {
  readonly type: KindDraft;
  readonly optional: boolean;
  readonly nullable: boolean;
}

export interface AttributeDraft extends MemberDraft {
  /** What was seen, for the person who corrects it; never a value. */
  readonly seen: string;
}

export interface RuleDraft {
  readonly set: Readonly<Record<string, string>>;
  readonly seen: string;
}

export interface EntityDraft {
  readonly name: string;
  /** The constant that holds it in the file. */
  readonly variable: string;
  readonly description: string;
  readonly attributes: Readonly<Record<string, AttributeDraft>>;
  readonly constants: Readonly<Record<string, string>>;
  readonly derive: readonly RuleDraft[];
  readonly ttl?: { readonly from: string; readonly seconds: number };
}

/** What a key of each type is asked by. */
export type ParamKind = 'text' | 'decimal' | 'bytes';

export interface PatternDraft {
  readonly name: string;
  readonly description: string;
  readonly params: Readonly<Record<string, ParamKind>>;
  readonly index?: string;
  /** One for each attribute of the partition key. */
  readonly hash: readonly { readonly attribute: string; readonly value: string }[];
  /** What the range key begins with, where several entities share a partition. */
  readonly prefix?: { readonly attribute: string; readonly value: string };
  readonly hydrate: boolean;
  /** Names of entities. */
  readonly result: readonly string[];
}

export interface CapacityDraft {
  readonly kind: 'development' | 'production';
  readonly read: number;
  readonly write: number;
}

export interface TableDraft {
  readonly name: string;
  readonly variable: string;
  readonly system: string;
  readonly namespace: string;
  readonly suffix: 'always' | 'outside-prod';
  readonly description: string;
  readonly key: KeySchema;
  readonly indexes: readonly Index[];
  readonly ttl?: string;
  readonly capacity?: CapacityDraft;
  readonly entities: readonly EntityDraft[];
  readonly patterns: readonly PatternDraft[];
  /** What a person has to know who corrects it, at the top of the file. */
  readonly notes: readonly string[];
}
