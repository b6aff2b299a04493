import { taskStates } from '../../../tables/model/runner/machine.ts';
import type { DeployedRunner } from './executions.ts';

interface Definition {
  readonly States?: Readonly<Record<string, { readonly Resource?: unknown } | undefined>>;
}

/** Which function a machine's definition calls; undefined for a definition that is not the runner's. */
export function machineFunction(definition: string): DeployedRunner | undefined {
  const resource = resourceOf(definition);
  if (resource === undefined) return undefined;
  return { functionArn: resource, version: versionOf(resource) };
}

function resourceOf(definition: string): string | undefined {
  try {
    const { States } = JSON.parse(definition) as Definition;
    const resource = States?.[taskStates.next]?.Resource;
    return typeof resource === 'string' ? resource : undefined;
  } catch {
    // No JSON: not one of ours.
    return undefined;
  }
}

/** What follows the function's name. Without a number there it can change at any time: the newest code, or an alias. */
function versionOf(resource: string): string | undefined {
  const [, , service, , , kind, , version = '', ...more] = resource.split(':');
  return service === 'lambda' && kind === 'function' && more.length === 0 && /^\d+$/.test(version) ? version : undefined;
}
