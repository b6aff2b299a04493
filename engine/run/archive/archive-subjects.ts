import type { Archive, ArchiveSummary } from '../../../tables/model/archive.ts';
import { type Item, scalarText } from '../../../tables/model/attribute-value.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { dayFile, groupFile, groupFolder, printLines, subjectFile } from '../../core/archive/archive-layout.ts';
import { abandonedAfterMs, type BlobStore, readText } from '../../core/transfer/blob-store.ts';
import { type ReadEnvironment, readAll } from '../read/read-pattern.ts';

export interface ArchiveEnvironment {
  readonly archive: Archive;
  readonly read: ReadEnvironment;
  readonly target: BlobStore;
  /** Every subject that is still there. */
  readonly subjects: () => AsyncIterable<readonly Item[]>;
  readonly onEvent?: ((event: ArchiveEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type ArchiveOutcome =
  | 'archived'
  /** It is there already. */
  | 'unchanged'
  /** It is running, so its records are not all there. */
  | 'running'
  /** What is archived has more records: TTL has taken some since. */
  | 'kept';

export interface ArchiveEvent {
  readonly subject: string;
  readonly outcome: ArchiveOutcome;
  readonly results: number;
}

export interface ArchiveResult {
  readonly outcome: 'complete' | 'interrupted';
  readonly subjects: Readonly<Record<ArchiveOutcome, number>>;
  readonly results: number;
  readonly days: readonly string[];
}

export interface ArchiveRequest {
  /** Only these; every subject that is still there when left out. */
  readonly ids?: readonly string[] | undefined;
  readonly again: boolean;
}

/**
 * Writes the figures of subjects, once each: a subject's own file comes last, so one that has it is archived whole, and is in the figures of
 * its day. These are put together from the files of the day's subjects, so doing it twice changes nothing.
 */
export async function archiveSubjects(environment: ArchiveEnvironment, request: ArchiveRequest): Promise<ArchiveResult> {
  const { signal, onEvent, target } = environment;
  await target.clearUnfinished?.('', abandonedAfterMs);
  const subjects = { archived: 0, unchanged: 0, running: 0, kept: 0 };
  const days = new Set<string>();
  let results = 0;
  for (const wanted of await wantedSubjects(environment, request)) {
    if (signal?.aborted) return { outcome: 'interrupted', subjects, results, days: [...days].toSorted() };
    const done = await archiveSubject(environment, wanted, request.again);
    subjects[done.outcome] += 1;
    if (done.outcome === 'archived') {
      results += done.results;
      days.add(done.summary.date);
    }
    onEvent?.({ subject: wanted.id, outcome: done.outcome, results: done.results });
  }
  return { outcome: 'complete', subjects, results, days: [...days].toSorted() };
}

interface Subject {
  readonly id: string;
  readonly item: Item | undefined;
}

async function wantedSubjects({ archive, subjects }: ArchiveEnvironment, { ids }: ArchiveRequest): Promise<readonly Subject[]> {
  const found: Subject[] = [];
  for await (const page of subjects()) {
    for (const item of page) found.push({ id: scalarText(item[archive.subjects.id]) ?? '', item });
  }
  const sorted = found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (ids === undefined) return sorted;
  // A subject and its records expire at different times: there may be only one of the two.
  return ids.map((id) => sorted.find((subject) => subject.id === id) ?? { id, item: undefined });
}

type Archived =
  | { readonly outcome: 'archived'; readonly results: number; readonly summary: ArchiveSummary }
  | { readonly outcome: Exclude<ArchiveOutcome, 'archived'>; readonly results: number };

async function archiveSubject(environment: ArchiveEnvironment, { id, item }: Subject, again: boolean): Promise<Archived> {
  const { archive, target } = environment;
  if (item !== undefined && archive.isRunning(item)) return { outcome: 'running', results: 0 };
  const records = await recordsOf(environment, id);
  if (item === undefined && records.length === 0) throw unknownSubject(archive, id);
  const summary = archive.summarise(id, item, records);
  const { date, line, groups } = summary;
  const before = await archived(environment, date, id);
  if (before !== undefined && !again) return { outcome: 'unchanged', results: before.results };
  if (before !== undefined && before.results > line.results) return { outcome: 'kept', results: before.results };
  for (const [group, lines] of Object.entries(groups)) {
    await target.write(groupFile(archive, group, date, id), Buffer.from(printLines(lines)));
  }
  // Before the subject's own file: a run that is killed between them does it again.
  await mergeDay(environment, summary);
  await target.write(subjectFile(archive, date, id), Buffer.from(printLines([line])));
  return { outcome: 'archived', results: line.results, summary };
}

function unknownSubject({ subject, subjects, records }: Archive, id: string): TablewrightError {
  const message = `there is no ${subject} ${id}: neither ${subjects.table.name} nor ${records.pattern.table} has it`;
  return new TablewrightError('UNKNOWN_NAME', message, {
    next: 'Check the id; both tables let their records expire.',
  });
}

async function recordsOf({ archive, read, signal }: ArchiveEnvironment, id: string): Promise<readonly Item[]> {
  const { pattern, parameter } = archive.records;
  return (await readAll(read, pattern, { [parameter]: id }, { signal })).items;
}

async function archived(
  { archive, target }: ArchiveEnvironment,
  date: string,
  id: string,
): Promise<ArchiveSummary['line'] | undefined> {
  const text = await readText(target, subjectFile(archive, date, id));
  return text === undefined ? undefined : (JSON.parse(text) as ArchiveSummary['line']);
}

/** The day's figures from the files of all its subjects. */
async function mergeDay({ archive, target }: ArchiveEnvironment, { date, groups }: ArchiveSummary): Promise<void> {
  for (const group of Object.keys(groups)) {
    const lines: object[] = [];
    for (const { name } of await target.list(groupFolder(archive, group, date))) {
      const text = (await readText(target, name)) ?? '';
      for (const line of text.split('\n')) if (line !== '') lines.push(JSON.parse(line) as object);
    }
    await target.write(dayFile(group, date), Buffer.from(printLines(archive.merge(lines))));
  }
}
