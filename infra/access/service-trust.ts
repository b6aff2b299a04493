import type { AwsPlace } from '../../tables/model/stack/aws-place.ts';
import { policyDocument } from './statement.ts';

/** Only for what the service does for this account, where one is given (IAM User Guide, "The confused deputy problem"). */
export function serviceTrust(service: string, from?: AwsPlace): string {
  return policyDocument([
    {
      Sid: 'Trust',
      Effect: 'Allow',
      Principal: { Service: service },
      Action: 'sts:AssumeRole',
      ...(from === undefined ? {} : { Condition: { StringEquals: { 'aws:SourceAccount': from.account } } }),
    },
  ]);
}
