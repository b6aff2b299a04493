import { TablewrightError } from '../../tables/model/error.ts';
import { allowListName, releaseCommand } from '../../tables/model/shape/released-files.ts';
import type { CatalogueShape } from '../../tables/model/shape/shape.ts';
import { type DangerousChange, dangerousChanges, type Stack } from './dangerous-changes.ts';
import { isOfAnotherStack } from './name-changes.ts';

/** A dangerous change that somebody wants, by its id, and why. */
export interface AllowedChange {
  readonly change: string;
  readonly reason: string;
}

export interface Shapes {
  readonly released: CatalogueShape;
  readonly current: CatalogueShape;
  readonly allowed: readonly AllowedChange[];
  /** Of the stack's own settings. */
  readonly names?: readonly DangerousChange[];
  /** The project's folder of the allow list. */
  readonly folder?: string;
}

/**
 * Refuses changes that lose data unless each is allowed by name. An entry that fits no change is refused too: it would
 * let a later change through that nobody looked at. What the allowed ones leave to do by hand is returned.
 */
export function guardShape(
  { released, current, allowed, names = [], folder = 'tables' }: Shapes,
  stack: Stack,
): readonly string[] {
  const allowListPath = `${folder}/${allowListName}`;
  const changes = [...dangerousChanges(released, current, stack), ...names];
  const isAllowed = ({ id }: DangerousChange) => allowed.some(({ change }) => change === id);
  const stale = allowed.filter(
    ({ change }) => !changes.some(({ id }) => id === change) && !isOfAnotherStack(stack.stack, change),
  );
  const problems = [
    ...changes
      .filter((change) => !isAllowed(change))
      .map(({ id, loss, after }) => `${id}: ${loss}${after === undefined ? '' : `; ${after}`}`),
    ...stale.map(({ change }) => `${change}: ${allowListPath} allows it, and the catalogue has no such change`),
  ];
  if (problems.length === 0) return changes.flatMap(({ id, after }) => (after === undefined ? [] : [`${id}: ${after}`]));
  throw new TablewrightError('DANGEROUS_CHANGE', 'The catalogue differs from its released shape in ways that lose data', {
    problems,
    next: `Take the change back, or name it in ${allowListPath} with the reason; after the deployment run '${releaseCommand}'.`,
  });
}
