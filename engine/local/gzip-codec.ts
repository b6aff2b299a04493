import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { type FileCodec, type Packer, TruncatedOrForeign } from '../core/transfer/codec.ts';

/** Fast and still about a sixth of the text; the slower levels would hold up the scan for little. */
const gzipLevel = 1;
const readChunkBytes = 256 * 1_024;

export const gzipCodec: FileCodec = {
  packer,
  md5: () => {
    const hash = createHash('md5');
    return { update: (bytes) => void hash.update(bytes), base64: () => hash.digest('base64') };
  },
  unpack,
};

function packer(): Packer {
  const gzip = createGzip({ level: gzipLevel, chunkSize: readChunkBytes });
  const hash = createHash('md5');
  const parts: Buffer[] = [];
  let failure: unknown;
  gzip.on('error', (error) => {
    failure ??= error;
  });
  gzip.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    parts.push(chunk);
  });
  return {
    add: (text) =>
      new Promise((resolve, reject) => {
        gzip.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    finish: () =>
      new Promise((resolve, reject) => {
        gzip.once('end', () => {
          if (failure === undefined) resolve({ bytes: Buffer.concat(parts), md5: hash.digest('base64') });
          else reject(failure);
        });
        gzip.once('error', reject);
        gzip.end();
      }),
  };
}

async function* unpack(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: readChunkBytes });
  const source = Readable.from(chunks);
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    const code = (error as { readonly code?: string }).code;
    if (code === 'Z_BUF_ERROR') throw new TruncatedOrForeign(true, error);
    if (code === 'Z_DATA_ERROR') throw new TruncatedOrForeign(false, error);
    throw error;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}
