import type { EngineName } from '../../local/choose-engine.ts';
import type { Failure } from '../failure.js';
import type { Endpoint } from './endpoints.js';

/*
 * What a command is: plain data in `commands/NAME.spec.js`, light enough for `--help`, and an action in `commands/NAME.ts` whose
 * arguments are inferred from it. A misspelt option, and one of another mode, do not compile.
 */

/** A kind of value that people type: a count, a time, a place. */
export interface Value<T> {
  /** How help shows it: `n`, `file`. */
  readonly shown: string;
  /** `a whole number of at least 1` */
  readonly expected: string;
  /** Undefined when the text is no such value. */
  readonly read: (text: string) => T | undefined;
  /** What a shell offers: words, or names of this kind. */
  readonly completes?: Completes;
}

/** What a project has names of; `parameters` are those of the pattern before them. */
export type NameKind =
  | 'tables'
  | 'indexes'
  | 'patterns'
  | 'parameters'
  | 'migrations'
  | 'seed sets'
  | 'systems'
  | 'entities'
  | 'stacks'
  | 'files';

export type Completes = NameKind | readonly string[];

/** An option that is there or not. */
export interface Flag {
  readonly flag: true;
}

export interface ArgumentSpec {
  readonly type: Value<unknown>;
  readonly optional?: true;
  /** Takes all words that are left; only the last argument may. */
  readonly many?: true;
}

export interface OptionSpec<Mode extends string = string, Name extends string = string> {
  readonly type: Value<unknown> | Flag;
  readonly help: string;
  /** How help shows the value, where that says more than its kind. */
  readonly shown?: string;
  /** May be given several times, or with several values. */
  readonly many?: true;
  /** Has to be given wherever it applies. */
  readonly required?: true;
  readonly default?: unknown;
  /** The modes of the command that it applies to; all when left out. */
  readonly only?: readonly Mode[];
  /** It changes something only beside this other option. */
  readonly needs?: Name;
  readonly excludes?: readonly Name[];
  /** For tests of the toolkit itself: taken, but not in the help. */
  readonly hidden?: true;
}

/** What a command talks to, and so which of the common options apply: `--stack` to the last two, `--endpoint` to the last. */
export type Reach = 'nothing' | 'stack' | 'store';

type Arguments = Readonly<Record<string, ArgumentSpec>>;
type Options<Mode extends string = string> = Readonly<Record<string, OptionSpec<Mode>>>;

/** The common options that an own one may need or exclude. */
type CommonName = 'stack' | 'endpoint' | 'engine' | 'json' | 'quiet' | 'noColor';

/** What decides on the mode: which options were given, and the stack. */
export type ChooseMode<Name extends string, Mode extends string> = (
  given: Readonly<Record<Name, boolean>>,
  common: { readonly stack: string; readonly endpoint?: string | undefined },
) => Mode;

export interface CommandSpec<A extends Arguments = Arguments, O extends Options = Options, M extends string = string> {
  /** `query`, `cutover check`; its action lies in `commands/`, under the words joined by a hyphen. */
  readonly words: string;
  readonly summary: string;
  /** Two command lines as people type them; tests/cli/examples.test.ts runs them. */
  readonly examples?: readonly [string, string];
  readonly reach: Reach;
  /** It runs where there is no project yet. */
  readonly withoutProject?: true;
  /** It goes over whole tables, and stays as small with large ones. */
  readonly memory?: 'steady';
  readonly args?: A;
  readonly options?: O;
  /** Ways of working that take different options, each as a message names it: `a portable export (…)`. */
  readonly modes?: Readonly<Record<M, string>>;
  // A method, so that a command with certain modes is still a command.
  mode?(...given: Parameters<ChooseMode<keyof O & string, M>>): M;
}

/** The type of `command()`: gives back what it is given and keeps every literal of it. */
export type DefineCommand = <
  const A extends Arguments = Readonly<Record<never, ArgumentSpec>>,
  const O extends Options<M> = Readonly<Record<never, OptionSpec>>,
  const M extends string = never,
>(
  spec: Omit<CommandSpec<A, O, M>, 'mode' | 'options'> & {
    readonly options?: O & { readonly [K in keyof O]: OptionSpec<M, (keyof O & string) | CommonName> };
  } & ([M] extends [never] ? unknown : { readonly mode: ChooseMode<keyof O & string, NoInfer<M>> }),
) => CommandSpec<A, O, M>;

type ValueOf<S> = S extends { readonly type: Value<infer T> } ? T : never;

type ArgumentValue<S> = S extends { readonly many: true }
  ? readonly ValueOf<S>[]
  : S extends { readonly optional: true }
    ? ValueOf<S> | undefined
    : ValueOf<S>;

type OptionValue<S> = S extends { readonly type: Flag }
  ? boolean
  : S extends { readonly many: true }
    ? readonly ValueOf<S>[]
    : S extends { readonly required: true } | { readonly default: unknown }
      ? ValueOf<S>
      : ValueOf<S> | undefined;

type InMode<O, M extends string> = {
  readonly [K in keyof O as O[K] extends { readonly only: readonly (infer Only)[] }
    ? M extends Only
      ? K
      : never
    : K]: OptionValue<O[K]>;
};

type OfModes<A, O, M extends string> = M extends string
  ? { readonly mode: M } & { readonly [K in keyof A]: ArgumentValue<A[K]> } & InMode<O, M>
  : never;

/** What an action is given: its arguments and options by name; with modes, a union over `mode`. Lists are empty when not given. */
export type Given<C> =
  C extends CommandSpec<infer A, infer O, infer M>
    ? [M] extends [never]
      ? { readonly [K in keyof A]: ArgumentValue<A[K]> } & InMode<O, never>
      : OfModes<A, O, M>
    : never;

/** What was given in one mode. */
export type GivenIn<C, Mode extends Given<C> extends { readonly mode: infer M } ? M : never> = Extract<
  Given<C>,
  { readonly mode: Mode }
>;

/** Where an export lies. */
export type ExportPlace =
  | { readonly kind: 's3'; readonly text: string; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'directory'; readonly text: string; readonly path: string };

/** The options of every command. */
export interface CommonOptions {
  readonly stack: string;
  /** The server that `--endpoint` or the environment names. */
  readonly endpoint?: string;
  /** The engine of the local stack that was asked for. */
  readonly engine?: EngineName;
  /** Who named which server. */
  readonly endpoints: Readonly<Record<'dynamodb' | 's3' | 'sfn', Endpoint | undefined>>;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly noColor: boolean;
}

/** What a command line asks for. */
export type ReadWords =
  | {
      readonly kind: 'run';
      readonly spec: CommandSpec;
      readonly common: CommonOptions;
      readonly given: Readonly<Record<string, unknown>>;
    }
  /** Of a command, a group or all; `wrong` when a command was expected. */
  | { readonly kind: 'help'; readonly words: string; readonly wrong: boolean; readonly json: boolean }
  | { readonly kind: 'version' }
  | { readonly kind: 'wrong'; readonly json: boolean; readonly failure: Failure };
