import { z } from 'zod';

/** Names the exports of a whole stack; written last, so that a set without it is unfinished. */
export const setFile = 'export-set.json';
/** What an unfinished set is to hold; gone when it is complete. */
export const setPlanFile = '_export-set.json';

/** A name within its folder: neither the folder itself nor the one above. */
const inside = String.raw`(?!\.+(?:/|$))[\w.-]+`;

const member = z.object({
  /** The table's name in the catalogue; null where it has none. */
  table: z.string().nullable(),
  tableName: z.string().regex(new RegExp(`^${inside}$`)),
});

const plan = z.object({ startedAt: z.string(), options: z.string(), tables: z.array(member) });
const whole = plan.extend({
  endedAt: z.string(),
  tables: z.array(
    member.extend({ folder: z.string().regex(new RegExp(`^${inside}/AWSDynamoDB/${inside}$`)), items: z.number() }),
  ),
});

export type SetMember = Readonly<z.output<typeof member>>;
export type SetPlan = Readonly<z.output<typeof plan>>;
export type ExportSet = Readonly<z.output<typeof whole>>;

export function parseSetPlan(text: string | undefined): SetPlan | undefined {
  return text === undefined ? undefined : plan.safeParse(jsonOf(text)).data;
}

export function parseSet(text: string): ExportSet | { readonly problems: readonly string[] } {
  const read = whole.safeParse(jsonOf(text));
  if (read.success) return read.data;
  return { problems: read.error.issues.map(({ path, message }) => `${setFile}: ${path.join('.')}: ${message}`) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
