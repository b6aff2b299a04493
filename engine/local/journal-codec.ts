import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Packs the journal of a run. At once, not in the background: a chunk is small, and a run stays a function of its ports. */
export const journalCodec = {
  pack: (text: string): Uint8Array => deflateRawSync(text),
  unpack: (bytes: Uint8Array): string => inflateRawSync(bytes).toString(),
} as const;
