import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import type { PassStep } from './define-migration.ts';

/**
 * What a step's mark is set to: another value in each generation, so that a record of the table's stream whose mark differs from
 * the one before was written by a migration, and one whose mark stayed was not.
 */
export function markValue(migration: string, generation: number | '…'): string {
  return `${migration}#${generation}`;
}

/** The mark as attributes to set; none where the step has none. */
export function markOf({ mark }: Pick<PassStep, 'mark'>, value: string | undefined): Item {
  if (mark === undefined || value === undefined) return {};
  const marked: AttributeValue = { S: value };
  return { [mark]: marked };
}
