import { nearest } from './nearest.js';

/** What to type instead of a name that is not there: what was probably meant, and all that there are. */
export function nameAdvice(given: string | readonly string[], known: readonly string[], more: readonly string[] = []): string {
  const wrong = typeof given === 'string' ? [given] : given;
  const meant = wrong.flatMap((name) => nearest(name, [...known, ...more]) ?? []);
  const all = known.join(', ');
  if (meant.length === 0) return `Use one of ${all}.`;
  return known.length === 1 ? `Did you mean ${all}?` : `Did you mean ${[...new Set(meant)].join(', ')}? There are ${all}.`;
}
