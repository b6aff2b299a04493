import { fromJsonItem } from '../../engine/core/item/dynamo-json.ts';
import type { DeadLetter, FailureReason } from '../../engine/core/write/dead-letter.ts';

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
