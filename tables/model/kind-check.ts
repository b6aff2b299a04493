import type * as z from 'zod';
import type { Entity } from './entity.ts';
import type { KeyType } from './key-types.ts';

/**
 * What the compiler can see of the kinds of key attributes: a flag, a list or a map is no key, and two entities, or a key and its entity,
 * may not disagree. A decimal is a text to the compiler, so it says nothing of those; the prover does.
 */
export type CheckedKey<Option, Entities> = Verdict<KindProblem<Option, Entities>, Option>;

export type CheckedIndexes<Indexes, Entities> = {
  readonly [K in keyof Indexes]: {
    readonly [Part in keyof Indexes[K]]: Part extends 'hash' | 'range' ? CheckedPart<Indexes[K][Part], Entities> : unknown;
  };
};

type CheckedPart<Given, Entities> = Given extends readonly unknown[]
  ? { readonly [At in keyof Given]: CheckedKey<Given[At], Entities> }
  : CheckedKey<Given, Entities>;

/** What no option has, so that the compiler's message shows the problem. */
type Verdict<Problem, Option> = [Problem] extends [never] ? Option : { readonly problem: Problem };

type KindProblem<Option, Entities> = Option extends string
  ? NameProblem<Option, Stated<Entities, Option>>
  : Option extends { readonly name: infer Name extends string; readonly type: infer Type extends KeyType }
    ? NameProblem<Name, Stated<Entities, Name>> | TypeProblem<Name, Type, Stated<Entities, Name>>
    : never;

type NameProblem<Name extends string, Found> = string extends Name
  ? never
  : 'none' extends Found
    ? `${Name} cannot be a key: an entity has a flag, a list or a map there`
    : ['S' | 'N'] extends [Found]
      ? `${Name} cannot be a key: one entity has a text there, another a number`
      : never;

type TypeProblem<Name extends string, Type extends KeyType, Found> = KeyType extends Type
  ? never
  : [Found] extends ['S' | 'N']
    ? [Found] extends [Type]
      ? never
      : `the key ${Name} has type ${Type}, but an entity writes type ${Found}`
    : never;

/** What each entity stores under the name: `S`, `N`, `none` for what is no key; nothing where the compiler does not know. */
type Stated<Entities, Name extends string> = Entities extends readonly (infer E)[] ? StatedBy<E, Name> : never;

type StatedBy<E, Name extends string> =
  E extends Entity<infer Shape>
    ? string extends keyof Shape
      ? never
      : Name extends keyof Shape
        ? TypeOf<Shape[Name]>
        : never
    : never;

type TypeOf<Schema> = Schema extends z.ZodOptional<infer Inner> | z.ZodNullable<infer Inner> | z.ZodDefault<infer Inner>
  ? TypeOf<Inner>
  : Schema extends z.ZodBoolean | z.ZodArray | z.ZodObject | z.ZodRecord
    ? 'none'
    : Schema extends z.ZodString | z.ZodEnum
      ? 'S'
      : Schema extends z.core.$ZodType<number>
        ? 'N'
        : never;
