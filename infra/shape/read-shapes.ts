import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Project } from '../../tables/model/project.ts';
import { allowListName, namesName, readReleased, releasedName } from '../../tables/model/shape/released-files.ts';
import type { CatalogueShape } from '../../tables/model/shape/shape.ts';
import type { ReleasedNames } from '../../tables/model/shape/table-names.ts';
import type { AllowedChange } from './guard.ts';

const projectFile = 'tablewright.config.ts';

export interface RecordedShapes {
  /** The catalogue as it was last deployed everywhere; nothing before the first time. */
  readonly released: CatalogueShape;
  readonly allowed: readonly AllowedChange[];
  /** The names of the tables of each stack, as they were last deployed. */
  readonly names: ReleasedNames;
  /** Where that stands, from the project's folder. */
  readonly folder: string;
}

/** What a project's repository says about its past, from the nearest project upwards of a folder. */
export function readShapes({ shapes }: Pick<Project, 'shapes'>, folder: string): RecordedShapes {
  const place = join(rootOf(folder), shapes);
  return {
    released: (readJson(join(place, releasedName)) ?? {}) as CatalogueShape,
    allowed: (readJson(join(place, allowListName)) ?? []) as readonly AllowedChange[],
    names: (readJson(join(place, namesName)) ?? {}) as ReleasedNames,
    folder: shapes,
  };
}

function rootOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, projectFile))) return at;
    if (at === dirname(at)) return folder;
  }
}

function readJson(path: string): unknown {
  return readReleased(path, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
}
