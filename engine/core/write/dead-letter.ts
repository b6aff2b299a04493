import { toJsonItem } from '../item/dynamo-json.ts';
import type { WriteRequest } from './write-request.ts';

/** Why a request was not carried out. */
export interface FailureReason {
  /** `BAD_ITEM` for what was never sent, the store's own code for what it would not take, else the last cause of a retry. */
  readonly code: string;
  readonly message: string;
}

/** A request that finally failed, whole, so that it can be sent again. */
export interface DeadLetter {
  readonly request: WriteRequest;
  readonly reason: FailureReason;
  readonly attempts: number;
}

/** One line of a dead letter file, without its end; binary and sets as in DynamoDB JSON. */
export function printDeadLetter({ request, reason, attempts }: DeadLetter): string {
  const operation = 'put' in request ? { put: toJsonItem(request.put) } : { delete: toJsonItem(request.delete) };
  return JSON.stringify({ table: request.table, ...operation, reason, attempts });
}
