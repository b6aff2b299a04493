import { z } from 'zod';
import { shown } from './values.ts';

/** Pulumi hands over an unquoted day of the file with a time behind it, always midnight in UTC. */
const midnight = / 00:00:00 \+0000 UTC$/;

const error = ({ input }: { readonly input?: unknown }) => `expected a day like 2026-12-31, found ${shown(input)}`;

/** A day, as `2026-12-31`. */
export const day = z.preprocess(
  (given) => (typeof given === 'string' ? given.replace(midnight, '') : given),
  z.string({ error }).refine((given) => !Number.isNaN(startOfDaySeconds(given)), { error }),
);

/** Seconds since 1970 at the start of the day, in UTC; NaN when there is no such day. */
export function startOfDaySeconds(given: string): number {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(`${given}T00:00:00Z`) : Number.NaN;
  // The 30th of February is taken for the 2nd of March.
  const isDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(given);
  return isDay ? start / 1_000 : Number.NaN;
}
