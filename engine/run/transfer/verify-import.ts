import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem, keyIdentity } from '../../../tables/model/canonical.ts';
import { compareDecimals } from '../../../tables/model/decimal.ts';
import { showKey } from '../../../tables/model/item.ts';
import { lineRequests } from '../../core/transfer/line-requests.ts';
import { maxBatchGetKeys } from '../../core/write/batch-limits.ts';
import { bodyOf, type WriteRequest } from '../../core/write/write-request.ts';
import { batchGetAll } from '../store/read-keys.ts';
import type { ImportEnvironment, ImportRequest, Verification } from './import-environment.ts';
import type { OpenExport } from './open-export.ts';
import { readLines } from './read-lines.ts';

/** How many items a sampled verification compares, about. */
export const sampleSize = 1_000;
const shownDifferences = 20;

/** Compares the table with the export: some items or all, by content. Items whose ttl has passed may be gone. */
export async function verifyImport(
  environment: ImportEnvironment,
  opened: OpenExport,
  request: ImportRequest,
): Promise<Verification | undefined> {
  if (request.verify === 'none') return undefined;
  // Every file's lines were counted against the manifest while they were read, so the count holds when the run is complete.
  if (request.verify === 'count') {
    return { depth: 'count', compared: opened.summary.itemCount, differences: [], differing: 0 };
  }
  const every = request.verify === 'full' ? 1 : Math.max(1, Math.ceil(opened.summary.itemCount / sampleSize));
  const comparison = new Comparison(environment, request);
  let at = 0;
  for (const file of opened.files) {
    for await (const lines of readLines(file, environment.codec, 0, environment.signal)) {
      for (const { content } of lines) {
        if (content === undefined) continue;
        at += 1;
        if ((at - 1) % every !== 0) continue;
        for (const wanted of lineRequests(request.table, content, request.transform)) await comparison.add(wanted);
      }
      const of = Math.ceil(opened.summary.itemCount / every);
      if (comparison.compared > 0) environment.onEvent?.({ kind: 'verifying', compared: comparison.compared, of });
    }
  }
  await comparison.flush();
  const { compared, differences, differing } = comparison;
  return { depth: request.verify, compared, differences, differing };
}

class Comparison {
  readonly #environment: ImportEnvironment;
  readonly #request: ImportRequest;
  readonly differences: string[] = [];
  differing = 0;
  compared = 0;
  #waiting = new Map<string, WriteRequest>();

  constructor(environment: ImportEnvironment, request: ImportRequest) {
    this.#environment = environment;
    this.#request = request;
  }

  async add(wanted: WriteRequest): Promise<void> {
    this.#waiting.set(keyIdentity(this.#request.table.key, bodyOf(wanted)), wanted);
    if (this.#waiting.size >= maxBatchGetKeys) await this.flush();
  }

  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    if (waiting.size === 0) return;
    const found = await this.#stored([...waiting.values()]);
    for (const [identity, wanted] of waiting) {
      this.compared += 1;
      const problem = this.#differenceOf(wanted, found.get(identity));
      if (problem === undefined) continue;
      this.differing += 1;
      const key = showKey(this.#request.table, bodyOf(wanted));
      if (this.differences.length < shownDifferences) this.differences.push(`${key}: ${problem}`);
    }
  }

  async #stored(wanted: readonly WriteRequest[]): Promise<ReadonlyMap<string, Item>> {
    const { store, readGates: gates, sleep, random, signal } = this.#environment;
    const { table } = this.#request;
    const keys = wanted.map(bodyOf);
    const { items } = await batchGetAll({ store, gates, sleep, random }, { table, keys, consistent: true }, signal);
    return items;
  }

  #differenceOf(wanted: WriteRequest, stored: Item | undefined): string | undefined {
    const { mode } = this.#request;
    if ('delete' in wanted)
      return stored === undefined || mode.kind !== 'overwrite' ? undefined : 'expected to be deleted, found it';
    if (stored === undefined) return this.#isExpired(wanted.put) ? undefined : 'expected in the table, not found';
    if (mode.kind === 'skip-existing') return undefined;
    if (canonicalItem(stored) === canonicalItem(wanted.put)) return undefined;
    if (mode.kind === 'if-newer' && isNewer(stored, wanted.put, mode.attribute)) return undefined;
    return 'another content than the export has';
  }

  #isExpired(item: Item): boolean {
    const { ttl } = this.#request;
    const value = ttl === undefined ? undefined : item[ttl];
    return value !== undefined && 'N' in value && Number(value.N) * 1_000 <= this.#environment.nowMs();
  }
}

/** What is stored is as new as what was to come, or newer. */
function isNewer(stored: Item, wanted: Item, attribute: string): boolean {
  const [a, b] = [stored[attribute], wanted[attribute]];
  if (b === undefined) return true;
  if (a === undefined) return false;
  if ('N' in a && 'N' in b) return compareDecimals(a.N, b.N) >= 0;
  return 'S' in a && 'S' in b && Buffer.compare(Buffer.from(a.S), Buffer.from(b.S)) >= 0;
}
