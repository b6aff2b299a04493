import type { ThrottlingReason } from '../../../tables/model/error.ts';
import { isRecord } from '../../core/item/dynamo-json.ts';

/**
 * Why a request was throttled, from an exception of the SDK or the JSON of a refusal; empty where neither says. Two exceptions
 * spell it `ThrottlingReasons`, ThrottlingException spells it `throttlingReasons` (API reference, "Common errors" and each
 * exception's page; since August 2025).
 */
export function throttlingReasons(refusal: unknown): readonly ThrottlingReason[] {
  if (!isRecord(refusal)) return [];
  const listed = refusal.ThrottlingReasons ?? refusal.throttlingReasons;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.reason !== 'string') return [];
    const { reason, resource } = entry;
    return [typeof resource === 'string' ? { reason, resource } : { reason }];
  });
}
