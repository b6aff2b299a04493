import type { OpenStack } from '../open-stack.ts';

/** A table's ARN as a portable export names it; a stack without a known account has zeros there. */
export function tableArnOf(stack: OpenStack, tableName: string): string {
  const { region, account = '000000000000' } = stack.config;
  return `arn:aws:dynamodb:${region}:${account}:table/${tableName}`;
}
