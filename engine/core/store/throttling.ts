import type { ThrottlingReason } from '../../../tables/model/error.ts';

export type { ThrottlingReason };

/** The limits that a reason ends with, as people say them (API reference, ThrottlingReason). */
const limits: Readonly<Record<string, string>> = {
  KeyRangeThroughputExceeded: 'one of its partitions takes no more',
  ProvisionedThroughputExceeded: 'its provisioned capacity is used up',
  MaxOnDemandThroughputExceeded: 'its on-demand maximum is reached',
  AccountLimitExceeded: 'the account’s limit for it is reached',
};

/** `Index` `Write` `KeyRangeThroughputExceeded`: what, how, why. */
const form = /^(Table|Index)(Read|Write)(\w+)$/;

/** The index that a reason is about; `''` for the table itself, undefined where it does not say. */
export function partOfReason({ reason, resource }: ThrottlingReason): string | undefined {
  const [, index] = /:table\/[^/]+\/index\/(.+)$/.exec(resource ?? '') ?? [];
  if (index !== undefined) return index;
  return resource?.includes(':table/') === true || reason.startsWith('Table') ? '' : undefined;
}

/** Is it a single partition that is full? Undefined where the reason does not say. */
export function isKeyRange({ reason }: ThrottlingReason): boolean | undefined {
  const [, , , limit] = form.exec(reason) ?? [];
  return limit === undefined ? undefined : limit === 'KeyRangeThroughputExceeded';
}

/** Does DynamoDB say what it is that is short of capacity? */
export function isNamed({ resource }: ThrottlingReason): boolean {
  return resource !== undefined;
}

/** `IndexWriteKeyRangeThroughputExceeded, index GSI1: one of its partitions takes no more` */
export function shownReason(reason: ThrottlingReason): string {
  const part = partOfReason(reason);
  const [, , , limit = ''] = form.exec(reason.reason) ?? [];
  const what = part === undefined ? undefined : part === '' ? 'the table' : `index ${part}`;
  const named = what === undefined ? reason.reason : `${reason.reason}, ${what}`;
  const why = limits[limit] ?? reason.text;
  return why === undefined ? named : `${named}: ${why}`;
}

/** Each reason once; undefined when there is none. */
export function shownReasons(reasons: readonly ThrottlingReason[] | undefined): string | undefined {
  if (reasons === undefined || reasons.length === 0) return undefined;
  return [...new Set(reasons.map(shownReason))].join('; ');
}
