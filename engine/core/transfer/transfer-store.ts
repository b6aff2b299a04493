import type { ScanOutcome } from '../migrate/data-store.ts';
import type { ScanRequest } from '../store.ts';

/** One page of a table, asked for once: what can go again comes back as a value, the rest is thrown. */
export interface PageStore {
  scan(request: ScanRequest, signal?: AbortSignal): Promise<ScanOutcome>;
}
