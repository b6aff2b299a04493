import { isRecord } from '../../../core/item/dynamo-json.ts';
import { adoptItem } from '../../../core/transfer/adopt-item.ts';
import { type BlobStore, within } from '../../../core/transfer/blob-store.ts';
import type { FileCodec } from '../../../core/transfer/codec.ts';
import type { DeadLetterSink } from '../../write/write-options.ts';

/** Names under which a report may hold the item that was not written, and what is said of it. */
const itemNames = ['Item', 'AttemptedItem', 'item', 'attemptedItem', 'NewItem'];
const reasonNames = ['ErrorMessage', 'errorMessage', 'Message', 'message', 'Reason', 'reason'];
const codeNames = ['ErrorCode', 'errorCode', 'Code', 'code', 'OutputType', 'outputType'];

/**
 * Reads what DynamoDB reports as not written into the dead letters: errors, and conditions that failed, which its status does not
 * show. A line whose form is not known is a letter all the same, with its place, so that nothing is passed over.
 */
export async function readReports(
  bucket: BlobStore,
  prefix: string,
  codec: FileCodec,
  tableName: string,
  letters: DeadLetterSink,
): Promise<number> {
  const folder = within(bucket, prefix);
  let count = 0;
  for (const { name } of await folder.list('')) {
    if (/manifest/i.test(name) || name.endsWith('/')) continue;
    let line = 0;
    for await (const text of linesOf(folder, name, codec)) {
      line += 1;
      if (text.trim() === '') continue;
      count += 1;
      await letters.write(letterOf(tableName, `${folder.place}${name}:${line}`, text));
    }
  }
  return count;
}

function letterOf(table: string, place: string, text: string) {
  const report = parsed(text);
  const found = (names: readonly string[]) => names.map((name) => report[name]).find((value) => value !== undefined);
  const item = adoptItem(found(itemNames));
  const code = String(found(codeNames) ?? 'BULK_PUT');
  const why = String(found(reasonNames) ?? 'DynamoDB did not write it');
  // Without an item that can be read, the letter leads to the report itself.
  const put = item ?? { report: { S: place } };
  return { request: { table, put }, reason: { code, message: `${place}: ${why}` }, attempts: 1 };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : {};
  } catch {
    return {};
  }
}

/** Line by line: an operation over millions of items may report as many. */
async function* linesOf(folder: BlobStore, name: string, codec: FileCodec): AsyncGenerator<string> {
  const chunks = await folder.read(name);
  if (chunks === undefined) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of name.endsWith('.gz') ? codec.unpack(chunks) : chunks) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = texts.pop() ?? '';
    yield* texts;
  }
  yield rest + decoder.decode();
}
