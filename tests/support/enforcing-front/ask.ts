import type { DeployedAccess } from './access.ts';

export type Json = Readonly<Record<string, unknown>>;

/** One question to IAM: may the caller do this to that, in these circumstances? */
export interface Ask {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string | readonly string[]>>;
}

export function ask(action: string, resource: string, context: Ask['context'] = {}): Ask {
  return { action, resource, context };
}

export function nameOf(table: unknown): string {
  return String(table).replace(/^arn:.*:table\//, '');
}

/** A table may be named by its ARN. */
export function tableArn({ region, account }: Pick<DeployedAccess, 'region' | 'account'>, table: unknown): string {
  return `arn:aws:dynamodb:${region}:${account}:table/${nameOf(table)}`;
}
