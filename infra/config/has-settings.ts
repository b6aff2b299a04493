import { TablewrightError } from '../../tables/model/error.ts';
import { projectName } from '../../tables/model/stack/stack-config.ts';

/** A stack without a file has no settings at all; its defaults would deploy an unprotected stack that nobody asked for. */
export function checkHasSettings(stack: string, raw: Readonly<Record<string, string>>): void {
  if (Object.keys(raw).some((name) => name.startsWith(`${projectName}:`))) return;
  throw new TablewrightError('BAD_CONFIG', `Stack ${stack} has no settings`, {
    problems: [`Pulumi.${stack}.yaml: expected some ${projectName}: keys, found none`],
    next: `Copy Pulumi.dev.yaml to Pulumi.${stack}.yaml and change it; docs/configuration.md lists every key.`,
  });
}
