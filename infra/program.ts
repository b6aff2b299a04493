import * as pulumi from '@pulumi/pulumi';
import { TablewrightError } from '../tables/model/error.ts';
import { catalogueOf, type Project } from '../tables/model/project.ts';
import { type CatalogueShape, shapeOf } from '../tables/model/shape/shape.ts';
import { namesOf, type ReleasedNames } from '../tables/model/shape/table-names.ts';
import { parseStackConfig } from '../tables/model/stack/stack-config.ts';
import type { Table } from '../tables/model/table.ts';
import { checkPlace, findPlace } from './config/find-place.ts';
import { checkHasSettings } from './config/has-settings.ts';
import { checkNoArchive } from './config/no-archive.ts';
import { registersSomething } from './idle-program.ts';
import { ProjectStack, type StackOutputs } from './project-stack.ts';
import { type AllowedChange, guardShape } from './shape/guard.ts';
import { nameChanges } from './shape/name-changes.ts';
import { readShapes } from './shape/read-shapes.ts';

/**
 * Everything of a project for the current stack, as one component: tables, key, alarms, dashboards, policies, bucket. The whole of a Pulumi
 * program: `export default deployTables(project)`. The options are the component's: a provider, what it depends on.
 */
export async function deployTables(project: Project, options: pulumi.ComponentResourceOptions = {}): Promise<StackOutputs> {
  registersSomething();
  const shapes = await telling(() => readShapes(project, process.cwd()));
  const keepsArchive = project.archive !== undefined;
  const deployment = { project: project.name, catalogue: catalogueOf(project), keepsArchive, ...shapes };
  return (await deployProject(deployment, options)).outputs;
}

export interface Deployment {
  /** The project's name, which the names of its resources begin with. */
  readonly project?: string;
  readonly catalogue: readonly Table[];
  readonly released: CatalogueShape;
  readonly allowed: readonly AllowedChange[];
  /** What the tables of each deployed stack are called. */
  readonly names?: ReleasedNames;
  /** The project's folder that says so. */
  readonly folder?: string;
  /** Whether the project says what `archive` archives. */
  readonly keepsArchive?: boolean;
}

/** Settles everything that can be wrong, then registers the stack. */
export function deployProject(
  { project, catalogue, released, allowed, names = {}, folder = 'tables', keepsArchive = true }: Deployment,
  options: pulumi.ComponentResourceOptions = {},
): Promise<ProjectStack> {
  registersSomething();
  return telling(async () => {
    const stack = pulumi.getStack();
    const settings = pulumi.runtime.allConfig();
    checkHasSettings(stack, settings);
    const config = parseStackConfig(stack, settings, catalogue, project);
    if (!keepsArchive) checkNoArchive(config);
    const changed = nameChanges(stack, names, namesOf(config, catalogue));
    const left = guardShape({ released, current: shapeOf(catalogue), allowed, names: changed, folder }, config);
    for (const step of left) await pulumi.log.warn(step);
    const place = await findPlace(options);
    checkPlace(place, config);
    const root = pulumi.runtime.getRootDirectory();
    return new ProjectStack({ catalogue, config, place, released, root }, options);
  });
}

/** Whatever a user can mend is told as Pulumi tells errors of users. */
async function telling<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TablewrightError ? asRunError(error) : error;
  }
}

/** Pulumi shows a RunError as its message alone, without a stack trace of ours. */
function asRunError({ code, message, next }: TablewrightError): pulumi.RunError {
  return new pulumi.RunError([`${code}: ${message}`, ...(next === undefined ? [] : [`Next: ${next}`])].join('\n'));
}
