import type { DeployedAccess } from './access.ts';
import { type Ask, ask } from './ask.ts';

type Service = 'dynamodb' | 's3';

/** What a service asks of KMS in the name of the caller, for data under the stack's key. */
export function keyAsks({ key, account, region }: DeployedAccess, service: Service, ...uses: readonly string[]): readonly Ask[] {
  const through = { 'kms:ViaService': `${service}.${region}.amazonaws.com`, 'kms:CallerAccount': account };
  return uses.map((use) =>
    ask(`kms:${use}`, key.arn, use === 'CreateGrant' ? { ...through, 'kms:GrantIsForAWSResource': 'true' } : through),
  );
}

/** A table's own key is decrypted for a reader (Developer Guide, "Encryption at rest: how it works"). */
export const readUses = ['Decrypt'] as const;
/** What AWS's own constructs give to those who write to a table with a customer's key, where they differ from readers. */
export const writeUses = ['Decrypt', 'Encrypt', 'GenerateDataKey'] as const;
/** A new table: DynamoDB looks at the key and keeps a grant of it (Developer Guide, "Encryption at rest: usage notes"). */
export const newTableUses = ['DescribeKey', 'CreateGrant', 'Decrypt', 'Encrypt', 'GenerateDataKey'] as const;
