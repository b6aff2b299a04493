import { projectName, type StackConfig } from './stack-config.ts';

/** Bucket names hold 63 characters (S3 User Guide, "Bucket naming rules"). */
const longestName = 63;

/** The stack's own name for its export bucket, or one that no other account or region has. */
export function exportBucketName(
  config: Pick<StackConfig, 'stack' | 'exportBucket'>,
  { account, region }: { readonly account: string; readonly region: string },
): string {
  return config.exportBucket.name ?? fitted(`${projectName}-${config.stack}`, `-exports-${account}-${region}`);
}

export function logBucketName(...of: Parameters<typeof exportBucketName>): string {
  return fitted(exportBucketName(...of), '-logs');
}

/** What is too long is cut before the ending. */
function fitted(start: string, ending: string): string {
  const lower = start.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
  return lower.slice(0, longestName - ending.length) + ending;
}
