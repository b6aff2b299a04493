import { TablewrightError } from '../../../../tables/model/error.ts';
import { type BlobStore, within } from '../../../core/transfer/blob-store.ts';
import { maxBulkObjects } from '../../../core/transfer/bulk-store.ts';
import type { Packer } from '../../../core/transfer/codec.ts';
import { printItem, printItemLines } from '../../../core/transfer/export-line.ts';
import type { RawItem } from '../../../core/transfer/split-answer.ts';
import { requestChecker } from '../../../core/write/check-request.ts';
import { checkFiles } from '../check-files.ts';
import type { OpenExport } from '../open-export.ts';
import { type NumberedLine, readLines } from '../read-lines.ts';
import type { BulkEnvironment, BulkImportRequest } from './bulk-environment.ts';

/** Objects of similar size (Developer Guide, "Bulk put items best practices"); each is held in memory until it is written. */
export const defaultObjectBytes = 32 * 1_024 * 1_024;
/** Data files that are read in turns, and lines that are shuffled at a time: exports are sorted by partition. */
const filesAtOnce = 16;
const shuffledLines = 10_000;
/** So many bytes of lines are held for it at most: items may have 400 KB each. */
const shuffledBytes = 16 * 1_024 * 1_024;

export interface StagedInput {
  readonly staged: number;
  /** In the dead letters: DynamoDB may stop a whole object at one such line. */
  readonly rejected: number;
}

/**
 * Checks every line of the export and writes what can be stored into a folder of its own, shuffled and in objects of similar
 * size. What lies there in the end is compared with what was written: DynamoDB reads all that is under the prefix.
 */
export async function stageInput(
  environment: BulkEnvironment,
  opened: OpenExport,
  { table, objectBytes = defaultObjectBytes }: Pick<BulkImportRequest, 'table' | 'objectBytes'>,
  prefix: string,
): Promise<StagedInput> {
  const { codec, signal } = environment;
  const folder = within(environment.bucket, prefix);
  const { bytes } = await checkFiles(opened, opened.files, codec, signal);
  const objects = Math.max(1, Math.min(maxBulkObjects, Math.ceil(bytes / objectBytes)));
  const stage = new Stage(environment, folder, Math.max(1, Math.ceil(opened.summary.itemCount / objects)));
  const check = requestChecker(table);
  let rejected = 0;
  let lines = 0;
  for await (const { file, line, content } of inTurns(environment, opened)) {
    lines += 1;
    if (lines % shuffledLines === 0) environment.onEvent?.({ kind: 'staging', lines, of: opened.summary.itemCount });
    if (content?.kind !== 'item') continue;
    const request = { table: table.name, put: content.item };
    const checked = check(request);
    if (!('problems' in checked)) {
      await stage.add(printItem(content.item));
      continue;
    }
    rejected += 1;
    const place = `${opened.files[file]?.shown}:${line}`;
    const message = `${place}: ${checked.problems.join('; ')}`;
    environment.onEvent?.({ kind: 'rejected', place, problem: checked.problems.join('; ') });
    await environment.deadLetters.write({ request, reason: { code: 'BAD_ITEM', message }, attempts: 0 });
  }
  const written = await stage.finish();
  await compare(folder, written, signal);
  return { staged: stage.staged, rejected };
}

type Placed = NumberedLine & { readonly file: number };

async function* inTurns({ codec, signal }: BulkEnvironment, opened: OpenExport): AsyncGenerator<Placed> {
  const lanes: { readonly file: number; readonly lines: AsyncGenerator<readonly NumberedLine[]> }[] = [];
  let next = 0;
  try {
    for (let turn = 0; ; turn += 1) {
      for (; lanes.length < filesAtOnce && next < opened.files.length; next += 1) {
        const source = opened.files[next];
        if (source !== undefined) lanes.push({ file: next, lines: readLines(source, codec, 0, signal) });
      }
      const at = turn % Math.max(1, lanes.length);
      const lane = lanes[at];
      if (lane === undefined) return;
      const step = await lane.lines.next();
      if (step.done) lanes.splice(at, 1);
      else for (const line of step.value) yield { ...line, file: lane.file };
    }
  } finally {
    await Promise.all(lanes.map((lane) => lane.lines.return(undefined)));
  }
}

class Stage {
  readonly #environment: BulkEnvironment;
  readonly #folder: BlobStore;
  readonly #linesPerObject: number;
  readonly #written = new Map<string, number>();
  #waiting: RawItem[] = [];
  #waitingBytes = 0;
  #packer: Packer | undefined;
  #packed = 0;
  staged = 0;

  constructor(environment: BulkEnvironment, folder: BlobStore, linesPerObject: number) {
    this.#environment = environment;
    this.#folder = folder;
    this.#linesPerObject = linesPerObject;
  }

  async add(item: RawItem): Promise<void> {
    this.#waiting.push(item);
    this.#waitingBytes += item.length;
    if (this.#waiting.length >= shuffledLines || this.#waitingBytes >= shuffledBytes) await this.#pack();
  }

  async finish(): Promise<ReadonlyMap<string, number>> {
    await this.#pack();
    if (this.#packed > 0) await this.#close();
    return this.#written;
  }

  async #pack(): Promise<void> {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (let at = lines.length - 1; at > 0; at -= 1) {
      const other = Math.floor(this.#environment.random() * (at + 1));
      [lines[at], lines[other]] = [lines[other] as RawItem, lines[at] as RawItem];
    }
    for (let at = 0; at < lines.length; ) {
      const some = lines.slice(at, at + this.#linesPerObject - this.#packed);
      this.#packer ??= this.#environment.codec.packer();
      await this.#packer.add(printItemLines(some));
      at += some.length;
      this.#packed += some.length;
      this.staged += some.length;
      if (this.#packed >= this.#linesPerObject) await this.#close();
    }
  }

  async #close(): Promise<void> {
    this.#environment.signal?.throwIfAborted();
    const packer = this.#packer;
    this.#packer = undefined;
    this.#packed = 0;
    if (packer === undefined) return;
    const name = `part-${String(this.#written.size + 1).padStart(6, '0')}.json.gz`;
    const { bytes } = await packer.finish();
    await this.#folder.write(name, bytes, this.#environment.signal);
    this.#written.set(name, bytes.byteLength);
  }
}

async function compare(folder: BlobStore, written: ReadonlyMap<string, number>, signal: AbortSignal | undefined): Promise<void> {
  const found = await folder.list('', signal);
  const same = found.length === written.size && found.every(({ name, bytes }) => written.get(name) === bytes);
  if (same) return;
  throw new TablewrightError('CONFLICT', `${folder.place}: expected the ${written.size} staged objects alone, found others`, {
    next: 'Nothing was started. See that nobody else writes there, then run the same command again.',
  });
}
