import * as z from 'zod';
import { canonicalDecimal, compareDecimals, decimalProblem } from './decimal.ts';
import { brazilianToIso, isIsoDate, isIsoTime } from './time.ts';

/** What a schema's value becomes in the store where the schema alone cannot tell. */
type StoredAs = 'N' | 'B' | 'JSON' | 'PLAIN';

/** One registry a process, also where this module is there twice: a test runner that loads ESM by `require` makes it so. */
function sharedRegistry<Mark extends object>(name: string): z.core.$ZodRegistry<Mark> {
  const shared = globalThis as unknown as Record<symbol, z.core.$ZodRegistry<Mark> | undefined>;
  const key = Symbol.for(`tablewright.${name}`);
  shared[key] ??= z.registry<Mark>();
  return shared[key];
}

/** Marks on schemas, read by the marshaller. */
export const storedAs = sharedRegistry<{ readonly type: StoredAs }>('storedAs');

/** How a time attribute spells its time. */
export type TimeSpelling = 'iso' | 'day' | 'brazilian' | 'epoch';

/** Marks on time schemas: fixtures may give `now-2h` there, which becomes a time in this spelling. */
export const timeSpelling = sharedRegistry<{ readonly spelling: TimeSpelling }>('timeSpelling');

/**
 * Marks on schemas that take less from a writer than may be stored: what a reader goes by instead. Records that were written
 * before the rule stay readable.
 */
const readAs = sharedRegistry<{ readonly kind: 'text' | 'decimal' }>('readAs');

/** Is it a text of listed values (`known`)? */
export const isListed = (schema: z.core.$ZodType): boolean => readAs.get(schema as z.ZodType)?.kind === 'text';

/** A schema as readers go by it. */
export function storedForm(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return storedForm(schema.unwrap() as z.ZodType).optional();
  const kind = readAs.get(schema)?.kind;
  if (kind === undefined) return schema;
  return kind === 'text' ? text() : decimal();
}

/** A string of at least one character. */
export const text = () => z.string().min(1, 'expected a text of at least one character');

/** A text that becomes part of a composite key, where `#` separates the parts. */
export const keyPart = () =>
  text().refine((value) => !value.includes('#'), { error: expected("a text without '#', which separates key parts") });

/** Any string, empty too (DynamoDB keeps empty strings outside of keys). */
export const note = () => z.string();

export const flag = () => z.boolean();

export const choice = <const V extends readonly [string, ...string[]]>(...values: V) => z.enum(values);

/**
 * A text of which the known values are listed: a writer may give these only, a reader takes any that is stored. For lists that
 * sources leave open (`NEW, FILLED, CANCELLED, etc`) and that grow.
 */
export function known<const V extends readonly [string, ...string[]]>(...values: V): z.ZodType<string, V[number]> {
  const listed: ReadonlySet<string> = new Set(values);
  const strict = text().refine((value) => listed.has(value), { error: expected(`one of ${values.join(', ')}`) });
  readAs.add(strict, { kind: 'text' });
  return strict as unknown as z.ZodType<string, V[number]>;
}

/**
 * A decimal of up to 38 digits, plain form: a string. Whole JavaScript numbers are taken too; a float is refused,
 * because its digits are not the ones that were written.
 */
export const decimal = () =>
  z
    .union([z.string(), z.number(), z.bigint()])
    .transform((value, context): string => {
      if (typeof value === 'number' && !Number.isSafeInteger(value)) {
        const problem = `expected a decimal as a string, found the float ${value}; write it as '${value}'`;
        context.addIssue({ code: 'custom', message: problem });
        return z.NEVER;
      }
      const problem = decimalProblem(String(value));
      if (problem !== undefined) {
        context.addIssue({ code: 'custom', message: `expected a decimal, found ${JSON.stringify(String(value))}: ${problem}` });
        return z.NEVER;
      }
      return canonicalDecimal(String(value));
    })
    .register(storedAs, { type: 'N' });

/** A decimal above zero when it is written; whatever is stored can be read. */
export const positive = () => bounded((sign) => sign > 0, 'a number above 0');

/** A decimal that is not below zero when it is written; whatever is stored can be read. */
export const notNegative = () => bounded((sign) => sign >= 0, 'a number of at least 0');

function bounded(takes: (sign: number) => boolean, what: string) {
  const strict = decimal().refine((value) => takes(compareDecimals(value, '0')), { error: expected(what) });
  storedAs.add(strict, { type: 'N' });
  readAs.add(strict, { kind: 'decimal' });
  return strict;
}

/** A whole number within JavaScript's exact range, plain form: a number. A digit string is taken too. */
export const integer = () =>
  z
    .union([z.number(), z.string()])
    .transform((value, context): number => {
      const number = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
      if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
      context.addIssue({ code: 'custom', message: `expected a whole number, found ${JSON.stringify(value)}` });
      return z.NEVER;
    })
    .register(storedAs, { type: 'N' });

/** Seconds since 1970. Milliseconds are refused: TTL would put them off for some 50,000 years. */
export const epochSeconds = () =>
  integer()
    .refine((value) => value >= 0 && value < 100_000_000_000, {
      message: 'expected seconds since 1970; this looks like milliseconds or a negative time',
    })
    .register(storedAs, { type: 'N' })
    .register(timeSpelling, { spelling: 'epoch' });

/** ISO 8601 in UTC: `2025-11-14T10:30:00Z`, with or without a fraction of a second. */
export const isoTime = () =>
  z
    .string()
    .refine(isIsoTime, { error: expected('an ISO 8601 time in UTC such as 2025-11-14T10:30:00Z') })
    .register(timeSpelling, { spelling: 'iso' });

/** ISO 8601 in UTC to the second, as the OMS keys have it; a zero fraction is dropped. */
export const isoSecond = () =>
  z
    .string()
    .transform((value) => value.replace(/\.0+Z$/, 'Z'))
    .refine((value) => isIsoTime(value) && value.length === 20, {
      error: expected('an ISO 8601 time in UTC to the second such as 2025-11-14T10:30:00Z'),
    })
    .register(timeSpelling, { spelling: 'iso' });

export const isoDay = () =>
  z
    .string()
    .refine(isIsoDate, { error: expected('a date such as 2023-10-03') })
    .register(timeSpelling, { spelling: 'day' });

/** `DD/MM/YYYY HH:mm:ss`, UTC, as the OMS documents it. */
export const brazilianTime = () =>
  z
    .string()
    .refine((value) => brazilianToIso(value) !== undefined, { error: expected('a time as DD/MM/YYYY HH:mm:ss') })
    .register(timeSpelling, { spelling: 'brazilian' });

/** A measured amount such as capacity units, plain form: a number. Never for what people own: a float has its own digits. */
export const measure = () =>
  z
    .union([z.number(), z.string()])
    .transform((value, context): number => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof number === 'number' && Number.isFinite(number)) return number;
      context.addIssue({ code: 'custom', message: `expected a number, found ${JSON.stringify(value)}` });
      return z.NEVER;
    })
    .register(storedAs, { type: 'N' });

/** Plain data of any shape, stored as it is built: numbers as numbers, lists as lists, objects as maps. */
export const plainData = () => z.unknown().register(storedAs, { type: 'PLAIN' });

/** Plain data of one shape, told by a function. */
export const plainDataOf = <T>(isOne: (value: unknown) => value is T) =>
  z.custom<T>((value) => isOne(value)).register(storedAs, { type: 'PLAIN' });

/** Stored as one text of JSON. */
export function jsonText<T>(schema: z.ZodType<T>): z.ZodType<T> {
  const read = z.preprocess((value) => (typeof value === 'string' ? parsedJson(value) : value), schema);
  storedAs.add(read, { type: 'JSON' });
  return read;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const bytes = () => z.custom<Uint8Array>((value) => value instanceof Uint8Array).register(storedAs, { type: 'B' });

function expected(what: string): (issue: { readonly input?: unknown }) => string {
  return (issue) => `expected ${what}, found ${JSON.stringify(issue.input)}`;
}

/** What any attribute may be of. */
export type Kind = z.ZodType;

/** A list whose elements are all of one kind. */
export const listOf = <E extends z.ZodType>(element: E) => z.array(element);

/** A map with these members and no other. */
export const mapOf = <const Members extends z.core.$ZodLooseShape>(members: Members) => z.strictObject(members);

/** A map whose member names are data: one value each, all of one kind. */
export const valuesOf = <V extends z.ZodType>(value: V) => z.record(z.string(), value);
