import { type AwsPlace, alarmArn, iamArn, resourceName, type StackName, viaService } from '../../tables/model/stack/aws-place.ts';
import type { PolicyStatement } from './statement.ts';

/** In a key's own policy this means the key itself (KMS Developer Guide, "Key policies"); it knows no other ARN yet. */
const thisKey = '*';

export const administration = [
  'kms:CancelKeyDeletion',
  'kms:CreateAlias',
  'kms:DeleteAlias',
  'kms:DescribeKey',
  'kms:DisableKey',
  'kms:DisableKeyRotation',
  'kms:EnableKey',
  'kms:EnableKeyRotation',
  'kms:GetKeyPolicy',
  'kms:GetKeyRotationStatus',
  'kms:ListGrants',
  'kms:ListKeyPolicies',
  'kms:ListResourceTags',
  'kms:PutKeyPolicy',
  'kms:RevokeGrant',
  'kms:ScheduleKeyDeletion',
  'kms:TagResource',
  'kms:UntagResource',
  'kms:UpdateAlias',
  'kms:UpdateKeyDescription',
] as const;

/** What DynamoDB needs of a key, for those who create tables and use them (Developer Guide, "Encryption at rest: notes"). */
export const keyUse = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
] as const;

export interface KeyUsers {
  /** The stack's roles; each must exist before the key, because KMS refuses a principal that it does not find. */
  readonly roleArns: readonly string[];
  /** The role of AWS Backup; it is made after the key, so the policy knows it by its ARN and not as a principal. */
  readonly backupRoleArn?: string | undefined;
  /** Log groups that are encrypted with it. */
  readonly logGroupArns?: readonly string[];
}

/**
 * Who may do what with the stack's key. Nobody decrypts with it directly: only through the services that hold the data,
 * and only callers of this account whose own policies allow it.
 */
export function keyPolicy(place: AwsPlace, stack: StackName, users: KeyUsers): readonly PolicyStatement[] {
  const { roleArns, backupRoleArn, logGroupArns = [] } = users;
  const backups = backupRoleArn !== undefined;
  const account = { AWS: iamArn(place, 'root') };
  const services = ['dynamodb', 's3', ...(backups ? ['backup'] : [])].map((service) => viaService(place, service));
  const through = { StringEquals: { 'kms:CallerAccount': place.account, 'kms:ViaService': services } };
  return [
    { Sid: 'Administration', Effect: 'Allow', Principal: account, Action: administration, Resource: thisKey },
    {
      Sid: 'UseThroughServices',
      Effect: 'Allow',
      Principal: account,
      // DynamoDB and AWS Backup keep a grant of their own, so that they can go on after the caller has left. Whoever makes a vault has to
      // be able to retire that one, too (AWS Backup Developer Guide, "Access control", CreateBackupVault).
      Action: [...keyUse, 'kms:CreateGrant', ...(backups ? ['kms:RetireGrant'] : [])],
      Resource: thisKey,
      Condition: through,
    },
    {
      Sid: 'DynamoDBLooksAtTheKey',
      Effect: 'Allow',
      Principal: { Service: `dynamodb.${place.dnsSuffix}` },
      // Facts about the key, no use of it. DynamoDB's documentation promises no source account to tie this to.
      Action: ['kms:DescribeKey', 'kms:GetKeyPolicy', 'kms:GetKeyRotationStatus', 'kms:ListGrants'],
      Resource: thisKey,
    },
    ...(roleArns.length === 0
      ? []
      : [
          {
            Sid: 'StackRoles',
            Effect: 'Allow',
            Principal: { AWS: [...roleArns] },
            Action: keyUse,
            Resource: thisKey,
            Condition: through,
          } as const,
        ]),
    ...(backups ? [backupsKeepGrants(account, backupRoleArn)] : []),
    alarmsPublish(place, stack),
    ...(logGroupArns.length === 0 ? [] : [logsEncrypt(place, logGroupArns)]),
  ];
}

/**
 * The role of AWS Backup asks for grants in its own name, not through a service, and gets them for services alone (AWS Managed Policy
 * Reference, "AWSBackupServiceRolePolicyForBackup").
 */
function backupsKeepGrants(account: { readonly AWS: string }, roleArn: string): PolicyStatement {
  return {
    Sid: 'BackupsKeepGrants',
    Effect: 'Allow',
    Principal: account,
    Action: ['kms:CreateGrant'],
    Resource: thisKey,
    Condition: { Bool: { 'kms:GrantIsForAWSResource': 'true' }, ArnEquals: { 'aws:PrincipalArn': roleArn } },
  };
}

/** CloudWatch cannot publish to an encrypted topic without the key (SNS Developer Guide, "Key management"). */
function alarmsPublish(place: AwsPlace, stack: StackName): PolicyStatement {
  return {
    Sid: 'AlarmsPublish',
    Effect: 'Allow',
    Principal: { Service: `cloudwatch.${place.dnsSuffix}` },
    Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
    Resource: thisKey,
    Condition: fromAlarms(place, stack),
  };
}

/** CloudWatch Logs uses it for these groups and no others (CloudWatch Logs User Guide, "Encrypt log data using KMS"). */
function logsEncrypt(place: AwsPlace, groups: readonly string[]): PolicyStatement {
  return {
    Sid: 'LogsEncrypt',
    Effect: 'Allow',
    Principal: { Service: viaService(place, 'logs') },
    Action: keyUse,
    Resource: thisKey,
    Condition: { ArnEquals: { 'kms:EncryptionContext:aws:logs:arn': groups } },
  };
}

/** Only alarms of this stack; another account's alarms, and other alarms of this one, stay out. */
export function fromAlarms(place: AwsPlace, stack: StackName): NonNullable<PolicyStatement['Condition']> {
  return {
    StringEquals: { 'aws:SourceAccount': place.account },
    ArnLike: { 'aws:SourceArn': alarmArn(place, `${resourceName(stack)}-*`) },
  };
}
