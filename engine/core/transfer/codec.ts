/** What turns lines into data files and back; the core has neither gzip nor MD5 of its own. */
export interface FileCodec {
  /** A data file in the making. Only compressed bytes are kept. */
  packer(): Packer;
  /** Throws `TruncatedOrForeign` when the bytes are no whole gzip file. */
  unpack(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  md5(): Md5;
}

export interface Packer {
  add(text: Uint8Array): Promise<void>;
  finish(): Promise<{ readonly bytes: Uint8Array; readonly md5: string }>;
}

/** MD5 in base64, as manifests have it. */
export interface Md5 {
  update(bytes: Uint8Array): void;
  base64(): string;
}

/** The bytes end too early or were never gzip. */
export class TruncatedOrForeign extends Error {
  readonly truncated: boolean;

  constructor(truncated: boolean, cause: unknown) {
    super(truncated ? 'the gzip data ends too early' : 'the data is not gzip', { cause });
    this.name = 'TruncatedOrForeign';
    this.truncated = truncated;
  }
}

export function md5Of(codec: FileCodec, bytes: Uint8Array): string {
  const digest = codec.md5();
  digest.update(bytes);
  return digest.base64();
}
