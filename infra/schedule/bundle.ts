import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { TablewrightError } from '../../tables/model/error.ts';
import { enabledJobs } from '../../tables/model/stack/config/schedules.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';

/** The one zip of all functions. */
export function bundleOf(root: string, { schedules }: StackConfig): pulumi.asset.Archive {
  return new pulumi.asset.FileArchive(resolve(root, schedules.bundle));
}

/** Refuses a stack whose functions have no zip: before anything is registered, and not by AWS in the middle of a deployment. */
export function checkBundle(root: string, config: StackConfig): void {
  const { stack, schedules, runner } = config;
  const needed = [
    ...(enabledJobs(config).length > 0 ? ['schedules and no bundle for their functions'] : []),
    ...(runner.enabled ? ['a runner and no bundle for its function'] : []),
  ];
  if (needed.length === 0 || existsSync(resolve(root, schedules.bundle))) return;
  throw new TablewrightError('BAD_CONFIG', `Stack ${stack} has ${needed.join(', ')}`, {
    problems: [`tablewright:schedules.bundle: expected the zip of the functions, found nothing at ${schedules.bundle}`],
    next: "Make it with 'npx tablewright bundle', and again whenever the catalogue, a migration or a stack file changes.",
  });
}
