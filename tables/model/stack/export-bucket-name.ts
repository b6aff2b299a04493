import { resourceName } from './aws-place.ts';
import { badConfig, projectName, type StackConfig } from './stack-config.ts';

/** Bucket names hold 63 characters (S3 User Guide, "Bucket naming rules"). */
const longestName = 63;

type Named = Pick<StackConfig, 'project' | 'stack' | 'exportBucket' | 'hidden'>;

/** The stack's own name for its export bucket, or one that no other account or region has. */
export function exportBucketName(
  config: Named,
  { account, region }: { readonly account: string; readonly region: string },
): string {
  return givenBucketName(config) ?? fitted(resourceName(config), `-exports-${account}-${region}`);
}

/** The name that the stack's file gives its bucket, if it does. One that cannot be read is an error: any other is another bucket. */
export function givenBucketName({ stack, exportBucket, hidden }: Named): string | undefined {
  const secret = ['exportBucket', 'exportBucket.name'].find((place) => hidden.includes(place));
  if (secret === undefined) return exportBucket.name;
  const why = 'expected a plain value here, found a secret, which the command line cannot decrypt';
  throw badConfig(stack, [`${projectName}:${secret}: ${why}`]);
}

export function logBucketName(...of: Parameters<typeof exportBucketName>): string {
  return fitted(exportBucketName(...of), '-logs');
}

/** What is too long is cut before the ending. */
function fitted(start: string, ending: string): string {
  const lower = start.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
  return lower.slice(0, longestName - ending.length) + ending;
}
