import { z } from 'zod';

/**
 * The kinds of value in a stack's file, as Pulumi leaves them there. It keeps every value at the top of `config:` as text,
 * hands every decrypted secret over as text, and with `config set --path` turns what looks like a boolean or a whole
 * number into one, also where a name was meant. So each kind takes the other's spelling of the same value.
 */
export const flagSetting = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean({ error: ({ input }) => `expected true or false, found ${shown(input)}` }),
);

export const textSetting = z.preprocess(toText, z.string({ error: ({ input }) => `expected text, found ${shown(input)}` }));

/** Text of a certain form; `expected` says which. */
export function textLike(form: RegExp, expected: string) {
  const error = ({ input }: { readonly input?: unknown }) => `expected ${expected}, found ${shown(input)}`;
  return z.preprocess(toText, z.string({ error }).regex(form, { error }));
}

function toText(given: unknown): unknown {
  return typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
}

export function choiceSetting<const Options extends readonly [string, ...string[]]>(options: Options) {
  return z.enum(options, { error: ({ input }) => `expected one of ${options.join(', ')}, found ${shown(input)}` });
}

export interface Range {
  readonly min: number;
  readonly max?: number;
  /** What is counted: `days`, `units`. */
  readonly of?: string;
}

export function whole(range: Range) {
  return numberIn(range, 'a whole number', Number.isInteger);
}

export function amount(range: Range) {
  return numberIn(range, 'a number', Number.isFinite);
}

function numberIn({ min, max, of }: Range, kind: string, fits: (value: number) => boolean) {
  const bounds = max === undefined ? `${min} or more` : `${min} to ${max}`;
  const error = ({ input }: { readonly input?: unknown }) =>
    `expected ${kind}${of === undefined ? '' : ` of ${of}`}, ${bounds}, found ${shown(input)}`;
  return z.preprocess(
    toNumber,
    z.number({ error }).refine((value) => fits(value) && value >= min && value <= (max ?? Infinity), { error }),
  );
}

export function toNumber(given: unknown): unknown {
  return typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given;
}

/** A value in a message, as it stands in the file. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (value === '') return 'an empty text';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
