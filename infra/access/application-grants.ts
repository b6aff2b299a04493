import { ledger } from '../../tables/model/ledger/ledger.ts';
import { ledgerPartition } from '../../tables/model/ledger/ledger-keys.ts';
import { isLegacyQuery } from '../../tables/model/pattern.ts';
import type { Table } from '../../tables/model/table.ts';
import { keyUse } from './key-policy.ts';
import { allow, dynamodb, type Grants, indexArns, tableArns, useOfKey } from './scope.ts';
import type { PolicyStatement } from './statement.ts';

const byKey = ['GetItem', 'BatchGetItem', 'Query', 'DescribeTable', 'DescribeTimeToLive'] as const;
export const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'ConditionCheckItem'] as const;

/**
 * The reader asks the ledger how each pattern is read. Until a pattern is cut over it is a Scan, and while it is in shadow what
 * was found goes to the pattern's own partition of the ledger; the states themselves an application cannot change.
 */
export const applicationRead: Grants = {
  description: 'Reads tables and indexes by key; scans only tables with patterns that may not be cut over yet',
  shared: (scope) => [
    ...allow(
      'CutoverStates',
      dynamodb('GetItem', 'Query'),
      tableArns(scope, [ledger]),
      onPartitions('StringLike', [cutoverPartition('*'), ledgerPartition('state')]),
    ),
    // Shadow reads write, so the key is used as by a writer.
    ...useOfKey(scope, keyUse, 'dynamodb'),
  ],
  ofTables: (scope, tables) => {
    const scanned = tables.filter(wasScanned);
    const found = tables.flatMap(partitionsOf);
    return [
      ...allow('Tables', dynamodb(...byKey), tableArns(scope, tables)),
      ...allow('Indexes', dynamodb('Query'), indexArns(scope, tables)),
      ...allow('BeforeCutover', dynamodb('Scan'), tableArns(scope, scanned)),
      ...allow(
        'ShadowReads',
        dynamodb('PutItem', 'UpdateItem'),
        found.length === 0 ? [] : tableArns(scope, [ledger]),
        onPartitions('StringEquals', found),
      ),
    ];
  },
};

export const applicationWrite: Grants = {
  description: 'Writes items of tables; reads nothing but conditions',
  shared: (scope) => [...useOfKey(scope, keyUse, 'dynamodb')],
  ofTables: (scope, tables) => allow('Tables', dynamodb(...writes, 'DescribeTable'), tableArns(scope, tables)),
};

const cutoverPartition = (pattern: string): string => ledgerPartition('cutoverEvent', { pattern });

/** Patterns that were read by another index before are queried there, which every index allows. */
const wasScanned = ({ patterns }: Table): boolean =>
  Object.values(patterns).some(({ legacy }) => legacy !== undefined && !isLegacyQuery(legacy));

/** The ledger's partitions of a table's patterns that were ever read otherwise. */
function partitionsOf({ patterns }: Table): readonly string[] {
  return Object.values(patterns)
    .filter(({ legacy }) => legacy !== undefined)
    .map(({ name }) => cutoverPartition(name));
}

/** Every partition that a request touches must be one of these (Developer Guide, "Using IAM policy conditions"). */
export function onPartitions(
  how: 'StringEquals' | 'StringLike',
  partitions: readonly string[],
): NonNullable<PolicyStatement['Condition']> {
  return { [`ForAllValues:${how}`]: { 'dynamodb:LeadingKeys': partitions } };
}
