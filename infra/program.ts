import * as pulumi from '@pulumi/pulumi';
import { TablewrightError } from '../tables/model/error.ts';
import { parseStackConfig } from '../tables/stack-config.ts';
import { tables } from '../tables/tables.ts';
import { checkPlace, findPlace } from './config/find-place.ts';
import { checkHasSettings } from './config/has-settings.ts';
import { deployStack, type StackOutputs } from './deploy-stack.ts';
import { guardShape } from './shape/guard.ts';
import { allowedChanges, releasedShape } from './shape/released.ts';
import { shapeOf } from './shape/shape.ts';

/** The program that `pulumi up` runs: settle everything that can be wrong, then register the stack. */
export async function program(): Promise<StackOutputs> {
  try {
    const stack = pulumi.getStack();
    const settings = pulumi.runtime.allConfig();
    checkHasSettings(stack, settings);
    const config = parseStackConfig(stack, settings, tables);
    guardShape(releasedShape, shapeOf(tables), allowedChanges);
    const place = await findPlace();
    checkPlace(place, config);
    return deployStack(tables, config, place, releasedShape);
  } catch (error) {
    throw error instanceof TablewrightError ? asRunError(error) : error;
  }
}

/** Pulumi shows a RunError as its message alone, without a stack trace of ours. */
function asRunError({ code, message, next }: TablewrightError): pulumi.RunError {
  return new pulumi.RunError([`${code}: ${message}`, ...(next === undefined ? [] : [`Next: ${next}`])].join('\n'));
}
