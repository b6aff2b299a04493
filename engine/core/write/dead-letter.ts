import { fromJsonItem, toJsonItem } from '../item/dynamo-json.ts';
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

/** The letter of a line; undefined when the line is none. */
export function parseDeadLetter(line: string): DeadLetter | undefined {
  const json = parseJson(line);
  if (json === undefined || typeof json.table !== 'string') return undefined;
  const { table } = json;
  const put = fromJsonItem(json.put);
  const key = fromJsonItem(json.delete);
  const request = put !== undefined ? { table, put } : key !== undefined ? { table, delete: key } : undefined;
  const reason = json.reason as Partial<FailureReason> | undefined;
  if (request === undefined || typeof reason?.code !== 'string' || typeof reason.message !== 'string') return undefined;
  return { request, reason: { code: reason.code, message: reason.message }, attempts: Number(json.attempts) || 0 };
}

function parseJson(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(line);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
