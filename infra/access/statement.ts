export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal?: '*' | Readonly<Record<string, string | readonly string[]>>;
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** A policy document as IAM, KMS, SNS and S3 take it. */
export function policyDocument(statements: readonly PolicyStatement[]): string {
  return JSON.stringify({ Version: '2012-10-17', Statement: statements });
}
