import { TablewrightError } from '../../tables/model/error.ts';
import { dangerousChanges } from './dangerous-changes.ts';
import type { CatalogueShape } from './shape.ts';

/** A dangerous change that somebody wants, by its id, and why. */
export interface AllowedChange {
  readonly change: string;
  readonly reason: string;
}

export const allowListPath = 'tables/allowed-changes.json';

/**
 * Refuses changes that lose data unless each is allowed by name. An entry that fits no change is refused too: it would
 * let a later change through that nobody looked at.
 */
export function guardShape(released: CatalogueShape, current: CatalogueShape, allowed: readonly AllowedChange[]): void {
  const changes = dangerousChanges(released, current);
  const refused = changes.filter(({ id }) => !allowed.some(({ change }) => change === id));
  const stale = allowed.filter(({ change }) => !changes.some(({ id }) => id === change));
  const problems = [
    ...refused.map(({ id, loss }) => `${id}: ${loss}`),
    ...stale.map(({ change }) => `${change}: ${allowListPath} allows it, and the catalogue has no such change`),
  ];
  if (problems.length === 0) return;
  throw new TablewrightError('DANGEROUS_CHANGE', 'The catalogue differs from its released shape in ways that lose data', {
    problems,
    next: `Take the change back, or name it in ${allowListPath} with the reason; after the deployment run npm run release-shape.`,
  });
}
