import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { TablewrightError } from '../../tables/model/error.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';

/** The one zip of all functions. Found missing here and not by AWS, in the middle of a deployment. */
export function findBundle(root: string, { stack, schedules }: StackConfig, whose: string): pulumi.asset.Archive {
  const path = resolve(root, schedules.bundle);
  if (existsSync(path)) return new pulumi.asset.FileArchive(path);
  throw new TablewrightError('BAD_CONFIG', `Stack ${stack} has ${whose}`, {
    problems: [`tablewright:schedules.bundle: expected the zip of the functions, found nothing at ${schedules.bundle}`],
    next: "Make it with 'npx tablewright bundle', and again whenever the catalogue, a migration or a stack file changes.",
  });
}
