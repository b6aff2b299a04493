import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';

/** `TableName`, `TableArn`, `GSI1Name` and so on for each index, and `StreamArn` where there is a stream. */
export type TableOutputs = Readonly<Record<string, pulumi.Input<string>>>;

export function tableOutputs(table: Table, config: StackConfig, resource: aws.dynamodb.Table): TableOutputs {
  const hasStream = config.tables[table.name]?.stream !== undefined;
  return {
    TableName: resource.name,
    TableArn: resource.arn,
    ...Object.fromEntries(table.indexes.map(({ name }) => [`${name}Name`, name])),
    ...(hasStream ? { StreamArn: resource.streamArn } : {}),
  };
}
