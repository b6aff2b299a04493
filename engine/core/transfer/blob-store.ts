/** A folder of files: under a prefix of a bucket, or a directory. Names are relative, with `/` between their parts. */
export interface BlobStore {
  /** As the user names it: `s3://bucket/prefix`, `backups/july`. */
  readonly place: string;
  /** The bucket and prefix, where it is one. */
  readonly s3?: { readonly bucket: string; readonly prefix: string };
  /** Writes the file whole or not at all. Gives its ETag. */
  write(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<{ readonly etag: string }>;
  /** Undefined when there is no such file. */
  read(name: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Files whose name begins so, in the order of their names. */
  list(prefix: string, signal?: AbortSignal): Promise<readonly BlobEntry[]>;
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Takes away what killed runs have left half written and nobody has touched for this long. Only where such a thing can be:
   * an object of S3 is whole or not there.
   */
  clearUnfinished?(prefix: string, untouchedMs: number): Promise<void>;
}

/** A file is written in seconds: what is half written for so long belongs to nobody any more. */
export const abandonedAfterMs = 600_000;

export interface BlobEntry {
  readonly name: string;
  readonly bytes: number;
}

/** The same store seen from a folder inside it. */
export function within(store: BlobStore, folder: string): BlobStore {
  const root = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  if (root === '') return store;
  return {
    place: `${store.place.replace(/\/$/, '')}/${root.replace(/\/$/, '')}`,
    ...(store.s3 === undefined ? {} : { s3: { bucket: store.s3.bucket, prefix: `${store.s3.prefix}${root}` } }),
    write: (name, bytes, signal) => store.write(root + name, bytes, signal),
    read: (name, signal) => store.read(root + name, signal),
    list: async (prefix, signal) => {
      const found = await store.list(root + prefix, signal);
      return found.map((entry) => ({ ...entry, name: entry.name.slice(root.length) }));
    },
    remove: (names, signal) =>
      store.remove(
        names.map((name) => root + name),
        signal,
      ),
    ...(store.clearUnfinished === undefined
      ? {}
      : { clearUnfinished: async (prefix, ms) => store.clearUnfinished?.(root + prefix, ms) }),
  };
}

/** The whole content as text; for the small files that describe an export. */
export async function readText(store: BlobStore, name: string, signal?: AbortSignal): Promise<string | undefined> {
  const chunks = await store.read(name, signal);
  if (chunks === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}
