import type { Item } from '../../../tables/model/attribute-value.ts';
import type { CallFailure } from '../migrate/data-store.ts';
import type { ScanRequest } from '../store/store.ts';

export type PageOutcome<T> =
  | { readonly kind: 'page'; readonly items: readonly T[]; readonly next: Item | undefined; readonly units: number }
  | CallFailure;

/** One page of a table, asked for once: what can go again comes back as a value, the rest is thrown. */
export interface PageStore<T = Item> {
  scan(request: ScanRequest, signal?: AbortSignal): Promise<PageOutcome<T>>;
}
