import allowed from '../../tables/allowed-changes.json' with { type: 'json' };
import names from '../../tables/released-names.json' with { type: 'json' };
import released from '../../tables/released-shape.json' with { type: 'json' };
import type { AllowedChange } from './guard.ts';
import type { ReleasedNames } from './name-changes.ts';
import type { CatalogueShape } from './shape.ts';

/** The catalogue as it was last deployed everywhere; `npm run release-shape` writes it. */
export const releasedShape = released as CatalogueShape;

export const allowedChanges: readonly AllowedChange[] = allowed;

/** The names of the tables of each stack, as they were last deployed. */
export const releasedNames = names as ReleasedNames;
