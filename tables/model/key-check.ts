import type { KeyCondition, LegacyQuery, PatternOptions } from './pattern.ts';

/**
 * What the compiler can see of a pattern's key conditions, from the names alone: every attribute of the partition by
 * equality, those of the order from the left, a range on the last one given. Names that are not literal are left to the prover.
 */
export type CheckedPatterns<Patterns, Indexes> = {
  readonly [K in keyof Patterns]: Patterns[K] extends PatternOptions
    ? CheckedPattern<Patterns[K], Indexes> & CheckedLegacy<Patterns[K], Indexes>
    : unknown;
};

/** The Query before is a Query like any other. */
type CheckedLegacy<P extends PatternOptions, Indexes> = P extends { readonly legacy: infer L extends LegacyQuery }
  ? { readonly legacy: CheckedPattern<L, Indexes> }
  : unknown;

type CheckedPattern<P extends Pick<PatternOptions, 'key'>, Indexes> = P extends { readonly index: infer I extends string }
  ? I extends keyof Indexes
    ? Verdict<KeyProblem<PartNames<Indexes[I], 'hash'>, PartNames<Indexes[I], 'range'>, P['key']>>
    : unknown
  : unknown;

/** What no conditions are, none of them neither, so that the compiler's message shows the problem. */
type Verdict<Problem extends string> = [Problem] extends [never] ? unknown : { readonly key: readonly [Problem, ...Problem[]] };

type NameOf<Option> = Option extends string ? Option : Option extends { readonly name: infer N extends string } ? N : never;

type PartNames<Index, Part extends string> = Index extends { readonly [K in Part]: infer Given }
  ? Given extends readonly unknown[]
    ? { readonly [K in keyof Given]: NameOf<Given[K]> }
    : readonly [NameOf<Given>]
  : readonly [];

type AnyConditions = readonly KeyCondition[];
type Named<Conditions extends AnyConditions> = Conditions[number]['attribute'];
type Equal<Conditions extends AnyConditions> = Extract<Conditions[number], { readonly op: 'equals' }>['attribute'];

type IsLiteral<Names extends string> = string extends Names ? false : true;

type KeyProblem<Hash extends readonly string[], Range extends readonly string[], Conditions extends AnyConditions> =
  IsLiteral<Named<Conditions> | Hash[number] | Range[number]> extends false
    ? never
    :
        | MissingHash<Exclude<Hash[number], Equal<Conditions>>>
        | Foreign<Exclude<Named<Conditions>, Hash[number] | Range[number]>>
        | RangeProblem<Range, Conditions>;

type MissingHash<Name extends string> = Name extends string ? `the hash key ${Name} needs a condition by equality` : never;
type Foreign<Name extends string> = Name extends string ? `${Name} is no key of the index` : never;

/** From the left: behind the first attribute without equality there is nothing more. */
type RangeProblem<Range extends readonly string[], Conditions extends AnyConditions> = Range extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? First extends Equal<Conditions>
    ? RangeProblem<Rest, Conditions>
    : Behind<First, Extract<Rest[number], Named<Conditions>>>
  : never;

type Behind<First extends string, Later extends string> = Later extends string
  ? `${Later} has a condition, but ${First} before it has none by equality`
  : never;
