/**
 * What the answers of DynamoDB always hold (API reference, "Response Elements"). GetItem and the writes of single items may
 * answer with `{}`, so they are not here.
 */
const expected: Readonly<Record<string, string>> = {
  BatchExecuteStatement: 'Responses',
  BatchGetItem: 'Responses',
  BatchWriteItem: 'UnprocessedItems',
  CreateTable: 'TableDescription',
  DescribeTable: 'Table',
  DescribeTimeToLive: 'TimeToLiveDescription',
  ListTables: 'TableNames',
  Query: 'Count',
  Scan: 'Count',
};

/** The member that an answer is without: it is JSON, but of something else than DynamoDB. */
export function missingMember(operation: string, output: object): string | undefined {
  const member = expected[operation];
  return member === undefined || (output as Readonly<Record<string, unknown>>)[member] !== undefined ? undefined : member;
}
