import { TablewrightError } from '../../tables/model/error.ts';
import { projectName } from '../../tables/model/stack/stack-config.ts';

/** A stack without a file has no settings at all; its defaults would deploy an unprotected stack that nobody asked for. */
export function checkHasSettings(stack: string, raw: Readonly<Record<string, string>>): void {
  if (Object.keys(raw).some((name) => name.startsWith(`${projectName}:`))) return;
  throw new TablewrightError('BAD_CONFIG', `Stack ${stack} has no settings`, {
    problems: [`Pulumi.${stack}.yaml: expected some ${projectName}: keys, found none`],
    // Any key will do, but this one guards: nothing is deployed to an account that somebody happens to be logged in to.
    next: `Write Pulumi.${stack}.yaml, at least with 'npx pulumi config set tablewright:account ACCOUNT -s ${stack}' (the 12 digits); docs/configuration.md lists every key.`,
  });
}
