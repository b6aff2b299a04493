import { DescribeTableCommand, type DynamoDBClient, type ProvisionedThroughputDescription } from '@aws-sdk/client-dynamodb';

export interface ProvisionedCapacity {
  /** Units per second of the table and its indexes together; 0 when it is on demand. */
  readonly read: number;
  readonly write: number;
}

/** What a table has provisioned at present, autoscaling included: what a budget given as a share is a share of. */
export async function provisionedCapacity(
  client: DynamoDBClient,
  table: string,
  signal?: AbortSignal,
): Promise<ProvisionedCapacity> {
  const { Table } = await client.send(
    new DescribeTableCommand({ TableName: table }),
    signal === undefined ? {} : { abortSignal: signal },
  );
  const all = [Table, ...(Table?.GlobalSecondaryIndexes ?? [])].map((part) => part?.ProvisionedThroughput);
  const sum = (units: (part: ProvisionedThroughputDescription) => number | undefined): number =>
    all.reduce((total, part) => total + (part === undefined ? 0 : (units(part) ?? 0)), 0);
  return { read: sum((part) => part.ReadCapacityUnits), write: sum((part) => part.WriteCapacityUnits) };
}
