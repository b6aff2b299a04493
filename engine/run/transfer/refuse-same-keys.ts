import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyIdentity } from '../../../tables/model/canonical.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { showKey } from '../../../tables/model/item.ts';
import type { KeySchema } from '../../../tables/model/table.ts';
import type { FileCodec } from '../../core/transfer/codec.ts';
import { keyHash } from '../../core/transfer/mask/key-hash.ts';
import type { ExportFile } from './open-export.ts';
import { readLines } from './read-lines.ts';

/** Hashes that are held at once: 32 MB. What is larger is gone through several times, a part of the hashes each. */
const mostHashes = 4_000_000;
const mostShown = 5;

/** Ends with an error when two items of masked exports have the same key. Keys that are shown are masked already. */
export async function refuseSameKeys(
  tableName: string,
  key: KeySchema,
  files: readonly ExportFile[],
  codec: FileCodec,
  signal?: AbortSignal,
): Promise<void> {
  const items = files.reduce((sum, file) => sum + file.itemCount, 0);
  const passes = Math.max(1, Math.ceil(items / mostHashes));
  const suspect = new Set<number>();
  for (let pass = 0; pass < passes; pass += 1) {
    const hashes = new Float64Array(passes === 1 ? items : mostHashes * 2);
    let count = 0;
    for await (const item of itemsOf(files, codec, signal)) {
      const hash = keyHash(keyIdentity(key, item));
      if (hash % passes === pass && count < hashes.length) hashes[count++] = hash;
    }
    const sorted = hashes.subarray(0, count).sort();
    for (let at = 1; at < count; at += 1) if (sorted[at] === sorted[at - 1]) suspect.add(sorted[at] as number);
  }
  if (suspect.size === 0) return;
  const same = await sameKeys(key, files, codec, suspect, signal);
  if (same.length > 0) throw refusal(tableName, same);
}

/** Hashes only suspect; the keys themselves decide. */
async function sameKeys(
  key: KeySchema,
  files: readonly ExportFile[],
  codec: FileCodec,
  suspect: ReadonlySet<number>,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const seen = new Set<string>();
  const same = new Set<string>();
  for await (const item of itemsOf(files, codec, signal)) {
    const identity = keyIdentity(key, item);
    if (!suspect.has(keyHash(identity))) continue;
    if (seen.has(identity)) same.add(showKey({ key }, item));
    seen.add(identity);
  }
  return [...same];
}

async function* itemsOf(files: readonly ExportFile[], codec: FileCodec, signal: AbortSignal | undefined): AsyncGenerator<Item> {
  for (const file of files) {
    for await (const lines of readLines(file, codec, 0, signal)) {
      for (const { content } of lines) if (content?.kind === 'item') yield content.item;
    }
  }
}

function refusal(tableName: string, same: readonly string[]): TablewrightError {
  const rest = same.length > mostShown ? [`and ${same.length - mostShown} more`] : [];
  return new TablewrightError('BAD_ARGUMENT', `${tableName}: masking would make one record of several`, {
    problems: [...same.slice(0, mostShown).map((shown) => `more than one record has the masked key ${shown}`), ...rest],
    next: 'Mask the attributes of that key by another kind, such as text, or leave such records out. No export was finished.',
  });
}
