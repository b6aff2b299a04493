import type { RefusalCount } from '../../../tables/model/ledger/migration-records.ts';
import type { ThrottlingReason } from '../store/throttling.ts';

/** DynamoDB has sixteen reasons, for a table and its indexes; what is more comes from something else. */
const maxRefusals = 64;

/** What a part of a request or a server without reasons gives. */
const noReason: ThrottlingReason = { reason: 'no reason given' };

/** Counts refused batches by what DynamoDB gave as a reason; each reason of a batch once. */
export class RefusalCounts {
  readonly #counts = new Map<string, RefusalCount>();

  add(reasons: readonly ThrottlingReason[] | undefined, batches = 1): void {
    const given = reasons === undefined || reasons.length === 0 ? [noReason] : reasons;
    for (const [key, reason] of new Map(given.map((one) => [`${one.reason} ${one.resource ?? ''}`, one]))) {
      const known = this.#counts.get(key);
      if (known === undefined && this.#counts.size >= maxRefusals) continue;
      this.#counts.set(key, { ...(known ?? stored(reason)), batches: (known?.batches ?? 0) + batches });
    }
  }

  addAll(counts: readonly RefusalCount[]): void {
    for (const { batches, ...reason } of counts) this.add([reason], batches);
  }

  /** The most frequent first. */
  get list(): readonly RefusalCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.batches - a.batches);
  }
}

function stored({ reason, resource, text }: ThrottlingReason): Omit<RefusalCount, 'batches'> {
  return { reason, ...(resource === undefined ? {} : { resource }), ...(text === undefined ? {} : { text }) };
}
