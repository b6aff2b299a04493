import { TablewrightError } from '../../../tables/model/error.ts';
import type { OpenStack } from '../open-stack.ts';
import { localStack } from '../read-stack.ts';

/** The bucket of the embedded S3 server that stands for the stack's own. */
export const localBucket = 'tablewright-local-exports';

/** The stack's export bucket, by its name in the stack file; the deployed one's name also carries account and region. */
export function stackBucket(stack: OpenStack, option: string): string {
  if (stack.name === localStack) return localBucket;
  const { name } = stack.config.exportBucket;
  if (name !== undefined) return name;
  throw new TablewrightError('BAD_ARGUMENT', `${option} was not given, and Pulumi.${stack.name}.yaml names no export bucket`, {
    next: `Give ${option} s3://BUCKET/PREFIX ('npx pulumi stack output -s ${stack.name}' shows the stack's bucket), or set tablewright:exportBucket.name.`,
  });
}
