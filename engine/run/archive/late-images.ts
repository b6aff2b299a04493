import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { type BlobStore, readText } from '../../core/transfer/blob-store.ts';
import { type FileCodec, md5Of } from '../../core/transfer/codec.ts';
import { parseItem, printItem } from '../../core/transfer/export-line.ts';

/** Under the archive: what was deleted and is not what was archived, until it is back in its table. */
const lateFolder = 'late/';

export interface LateEnvironment {
  readonly folder: BlobStore;
  readonly codec: FileCodec;
  readonly tableName: string;
  /** Puts the item unless another one has its key by now. */
  readonly putBack: (item: Item) => Promise<'back' | 'taken'>;
}

/**
 * Items that were written to between the look at them and their delete, in attributes that no condition could name. The
 * delete's answer holds them whole: they are kept here, then put back; where another item has taken the key they stay here.
 */
export class LateImages {
  readonly #environment: LateEnvironment;
  readonly counts = { back: 0, late: 0 };

  constructor(environment: LateEnvironment) {
    this.#environment = environment;
  }

  /** Looks at what was deleted. */
  async compare(archived: Item, deleted: Item): Promise<void> {
    const text = canonicalItem(deleted);
    if (text === canonicalItem(archived)) return;
    const { folder, codec } = this.#environment;
    const name = `${lateFolder}${Buffer.from(md5Of(codec, Buffer.from(text)), 'base64').toString('hex')}.json`;
    await folder.write(name, Buffer.from(printItem(deleted)));
    await this.#putBack(name, deleted);
  }

  /** What a killed run could not put back any more. */
  async settle(signal?: AbortSignal): Promise<void> {
    const { folder, tableName } = this.#environment;
    for (const { name } of await folder.list(lateFolder, signal)) {
      const text = await readText(folder, name, signal);
      if (text !== undefined) await this.#putBack(name, parseItem(tableName, Buffer.from(text)));
    }
  }

  async #putBack(name: string, item: Item): Promise<void> {
    const { folder, putBack } = this.#environment;
    if ((await putBack(item)) === 'taken') {
      this.counts.late += 1;
      return;
    }
    await folder.remove([name]);
    this.counts.back += 1;
  }
}
