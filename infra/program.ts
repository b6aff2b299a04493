import * as pulumi from '@pulumi/pulumi';
import { TablewrightError } from '../tables/model/error.ts';
import { catalogueOf, type Project } from '../tables/model/project.ts';
import { parseStackConfig } from '../tables/model/stack/stack-config.ts';
import type { Table } from '../tables/model/table.ts';
import { checkPlace, findPlace } from './config/find-place.ts';
import { checkHasSettings } from './config/has-settings.ts';
import { deployStack, type StackOutputs } from './deploy-stack.ts';
import { type AllowedChange, guardShape } from './shape/guard.ts';
import { nameChanges, namesOf, type ReleasedNames } from './shape/name-changes.ts';
import { readShapes } from './shape/read-shapes.ts';
import { type CatalogueShape, shapeOf } from './shape/shape.ts';

/**
 * Everything of a project for the current stack: tables, key, alarms, dashboards, policies, bucket. The whole of a Pulumi
 * program: `export default deployTables(project)`.
 */
export function deployTables(project: Project): Promise<StackOutputs> {
  return deployProject({ catalogue: catalogueOf(project), ...readShapes(project, process.cwd()) });
}

export interface Deployment {
  readonly catalogue: readonly Table[];
  readonly released: CatalogueShape;
  readonly allowed: readonly AllowedChange[];
  /** What the tables of each deployed stack are called. */
  readonly names?: ReleasedNames;
}

/** Settles everything that can be wrong, then registers the stack. */
export async function deployProject({ catalogue, released, allowed, names = {} }: Deployment): Promise<StackOutputs> {
  try {
    const stack = pulumi.getStack();
    const settings = pulumi.runtime.allConfig();
    checkHasSettings(stack, settings);
    const config = parseStackConfig(stack, settings, catalogue);
    const changed = nameChanges(stack, names, namesOf(config, catalogue));
    const left = guardShape({ released, current: shapeOf(catalogue), allowed, names: changed }, config);
    for (const step of left) await pulumi.log.warn(step);
    const place = await findPlace();
    checkPlace(place, config);
    return deployStack(catalogue, config, place, released, pulumi.runtime.getRootDirectory());
  } catch (error) {
    throw error instanceof TablewrightError ? asRunError(error) : error;
  }
}

/** Pulumi shows a RunError as its message alone, without a stack trace of ours. */
function asRunError({ code, message, next }: TablewrightError): pulumi.RunError {
  return new pulumi.RunError([`${code}: ${message}`, ...(next === undefined ? [] : [`Next: ${next}`])].join('\n'));
}
