import { type AwsPlace, bucketArn } from '../../tables/model/stack/aws-place.ts';
import type { PolicyStatement } from '../access/statement.ts';

/** The oldest TLS that the bucket talks. */
const oldestTls = '1.2';

/** Nobody talks to the bucket in the clear, or with a TLS that is known to be weak. */
export function tlsOnly(place: AwsPlace, bucket: string): readonly PolicyStatement[] {
  const arn = bucketArn(place, bucket);
  const deny = (Sid: string, Condition: NonNullable<PolicyStatement['Condition']>): PolicyStatement => {
    return { Sid, Effect: 'Deny', Principal: '*', Action: 's3:*', Resource: [arn, `${arn}/*`], Condition };
  };
  return [
    deny('TlsOnly', { Bool: { 'aws:SecureTransport': 'false' } }),
    deny('RecentTlsOnly', { NumericLessThan: { 's3:TlsVersion': oldestTls } }),
  ];
}

/** S3 itself writes the access logs of the one bucket (S3 User Guide, "Enabling server access logging"). */
export function logDelivery(place: AwsPlace, logBucket: string, source: string): PolicyStatement {
  return {
    Sid: 'LogDelivery',
    Effect: 'Allow',
    Principal: { Service: `logging.s3.${place.dnsSuffix}` },
    Action: 's3:PutObject',
    Resource: `${bucketArn(place, logBucket)}/*`,
    Condition: {
      ArnLike: { 'aws:SourceArn': bucketArn(place, source) },
      StringEquals: { 'aws:SourceAccount': place.account },
    },
  };
}
