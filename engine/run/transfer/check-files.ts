import pLimit from 'p-limit';
import type { FileCodec } from '../../core/transfer/codec.ts';
import { badExport, type ExportFile, type OpenExport } from './open-export.ts';

const filesAtOnce = 4;

/** Reads every data file once, before anything is written: it must be there and have the MD5 that the manifest says. */
export async function checkFiles(
  opened: OpenExport,
  files: readonly ExportFile[],
  codec: FileCodec,
  signal?: AbortSignal,
): Promise<{ readonly bytes: number }> {
  const limit = pLimit(filesAtOnce);
  const checked = await Promise.all(files.map((file) => limit(() => checkFile(file, codec, signal))));
  const problems = checked.flatMap((result) => ('problem' in result ? [result.problem] : []));
  if (problems.length > 0) throw badExport(opened.place, problems);
  return { bytes: checked.reduce((sum, result) => sum + ('bytes' in result ? result.bytes : 0), 0) };
}

async function checkFile(
  file: ExportFile,
  codec: FileCodec,
  signal: AbortSignal | undefined,
): Promise<{ readonly bytes: number } | { readonly problem: string }> {
  const chunks = await file.store.read(file.name, signal);
  if (chunks === undefined) return { problem: `${file.shown}: missing, the manifest lists it with ${file.itemCount} items` };
  const digest = codec.md5();
  let bytes = 0;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    digest.update(chunk);
    bytes += chunk.byteLength;
  }
  const found = digest.base64();
  if (found === file.md5) return { bytes };
  return { problem: `${file.shown}: its MD5 is ${found}, the manifest says ${file.md5} (${bytes} bytes were found)` };
}
