import type { StackConfig } from '../../tables/stack-config.ts';
import { type Place, stackName } from '../place.ts';

/** Bucket names hold 63 characters (S3 User Guide, "Bucket naming rules"). */
const longestName = 63;

/** The stack's own name for the bucket, or one that no other account or region has. */
export function exportBucketName(config: Pick<StackConfig, 'stack' | 'exportBucket'>, { account, region }: Place): string {
  if (config.exportBucket.name !== undefined) return config.exportBucket.name;
  const ending = `-exports-${account}-${region}`;
  return fitted(stackName(config.stack), ending);
}

export function logBucketName(config: Pick<StackConfig, 'stack' | 'exportBucket'>, place: Place): string {
  return fitted(exportBucketName(config, place), '-logs');
}

function fitted(start: string, ending: string): string {
  const lower = start.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
  return lower.slice(0, longestName - ending.length) + ending;
}
