import * as pulumi from '@pulumi/pulumi';
import { TablewrightError } from '../tables/model/error.ts';
import { catalogueOf } from '../tables/model/project.ts';
import { parseStackConfig } from '../tables/model/stack/stack-config.ts';
import type { Table } from '../tables/model/table.ts';
import project from '../tablewright.config.ts';
import { checkPlace, findPlace } from './config/find-place.ts';
import { checkHasSettings } from './config/has-settings.ts';
import { deployStack, type StackOutputs } from './deploy-stack.ts';
import { type AllowedChange, guardShape } from './shape/guard.ts';
import { allowedChanges, releasedShape } from './shape/released.ts';
import { type CatalogueShape, shapeOf } from './shape/shape.ts';

/** The program that `pulumi up` runs. */
export function program(): Promise<StackOutputs> {
  return deployProject({ catalogue: catalogueOf(project), released: releasedShape, allowed: allowedChanges });
}

export interface Deployment {
  readonly catalogue: readonly Table[];
  readonly released: CatalogueShape;
  readonly allowed: readonly AllowedChange[];
}

/** Settles everything that can be wrong, then registers the stack. */
export async function deployProject({ catalogue, released, allowed }: Deployment): Promise<StackOutputs> {
  try {
    const stack = pulumi.getStack();
    const settings = pulumi.runtime.allConfig();
    checkHasSettings(stack, settings);
    const config = parseStackConfig(stack, settings, catalogue);
    const left = guardShape({ released, current: shapeOf(catalogue), allowed }, config);
    for (const step of left) await pulumi.log.warn(step);
    const place = await findPlace();
    checkPlace(place, config);
    return deployStack(catalogue, config, place, released);
  } catch (error) {
    throw error instanceof TablewrightError ? asRunError(error) : error;
  }
}

/** Pulumi shows a RunError as its message alone, without a stack trace of ours. */
function asRunError({ code, message, next }: TablewrightError): pulumi.RunError {
  return new pulumi.RunError([`${code}: ${message}`, ...(next === undefined ? [] : [`Next: ${next}`])].join('\n'));
}
