import { z } from 'zod';

/** What an archive of items that is not finished is to do; gone when it is. */
export const archivePlanFile = '_archive.json';
/** Lies in the export of a finished archive: what became of the items in the table. */
export const archiveReportFile = 'archive.json';

const plan = z.object({
  startedAt: z.string(),
  tableName: z.string(),
  /** The attribute that tells an item's time. */
  by: z.string(),
  /** As it was asked for: a later run goes on only with the same. */
  olderThan: z.string(),
  /** Seconds since 1970, fixed when the archive began. */
  beforeSeconds: z.number(),
  remove: z.boolean(),
  /** Files of the export that were dealt with whole, once it is complete and read back. */
  filesDone: z.number(),
  removed: z.number(),
  kept: z.number(),
  late: z.number().default(0),
});

export type ArchivePlan = Readonly<z.output<typeof plan>>;

export function parseArchivePlan(text: string | undefined): ArchivePlan | undefined {
  if (text === undefined) return undefined;
  try {
    return plan.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const printArchivePlan = (one: ArchivePlan): string => JSON.stringify(one);
