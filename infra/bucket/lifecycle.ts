import { type ExportBucketSettings, type Lifecycle, statisticsPrefix } from '../../tables/model/stack/config/storage.ts';

export interface LifecycleRule {
  readonly id: string;
  readonly status: 'Enabled';
  readonly filter: { readonly prefix: string };
  readonly transitions?: { readonly days: number; readonly storageClass: string }[];
  readonly expiration?: { readonly days: number } | { readonly expiredObjectDeleteMarker: true };
  readonly noncurrentVersionExpiration?: { readonly noncurrentDays: number };
  readonly abortIncompleteMultipartUpload?: { readonly daysAfterInitiation: number };
}

/** A rule for each prefix, and one for the whole bucket that clears what nobody can see any more. */
export function lifecycleRules({ lifecycle, noncurrentDays, abortUploadDays }: ExportBucketSettings): LifecycleRule[] {
  return [
    ...lifecycle.map((entry) => prefixRule(entry, noncurrentDays)),
    {
      id: 'leftovers',
      status: 'Enabled',
      filter: { prefix: '' },
      expiration: { expiredObjectDeleteMarker: true },
      abortIncompleteMultipartUpload: { daysAfterInitiation: abortUploadDays },
    },
  ];
}

function prefixRule({ prefix, transition, expireDays }: Lifecycle, noncurrentDays: number): LifecycleRule {
  return {
    id: prefix.slice(0, -1).replaceAll('/', '-'),
    status: 'Enabled',
    filter: { prefix },
    ...(transition === undefined ? {} : { transitions: [{ ...transition }] }),
    ...(expireDays === undefined ? {} : { expiration: { days: expireDays } }),
    // Kept for ever means that an overwritten statistic can be had back, too.
    ...(prefix.startsWith(statisticsPrefix) ? {} : { noncurrentVersionExpiration: { noncurrentDays } }),
  };
}
