import { partitionOf, tableArn } from '../../../tables/model/stack/aws-place.ts';
import type { OpenStack } from '../open-stack.ts';

/** A table's ARN as a portable export names it; a stack without a known account has zeros there. */
export function tableArnOf(stack: OpenStack, tableName: string): string {
  const { region, account = '000000000000' } = stack.config;
  return tableArn({ partition: partitionOf(region), region, account }, tableName);
}
