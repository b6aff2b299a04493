/** DynamoDB Developer Guide, "DynamoDB table export output format": where the parts of an export lie. */
export const exportsFolder = 'AWSDynamoDB';
export const startedFile = '_started';
export const summaryFile = 'manifest-summary.json';
export const filesFile = 'manifest-files.json';

/** Hash files of a manifest, in the order in which they are looked for: the documented name, and the one that is seen as well. */
export function hashFilesOf(manifest: string): readonly string[] {
  const stem = manifest.replace(/\.json$/, '');
  return [`${stem}.checksum`, `${stem}.md5`];
}

export const progressFolder = '_tablewright';
export const planFile = `${progressFolder}/plan.json`;
export const ownerFile = `${progressFolder}/owner.json`;

export const segmentFile = (segment: number): string => `${progressFolder}/segment-${String(segment).padStart(4, '0')}.json`;

export const dataFile = (segment: number, sequence: number): string =>
  `data/s${String(segment).padStart(4, '0')}-${String(sequence).padStart(6, '0')}.json.gz`;

/** `01789012345678-1a2b3c4d`: sorts by time, as DynamoDB's own do. */
export function exportId(epochMs: number, random: string): string {
  return `${String(epochMs).padStart(14, '0')}-${random}`;
}

export interface DataFilePlace {
  /** In the folder that exports share, not in the export's own. */
  readonly shared: boolean;
  readonly name: string;
}

/**
 * A data file's name relative to the export's own folder; its key may hold the prefix of a place it was copied from. Undefined
 * for a name that leads out of the export: nothing else may be read by naming it in a manifest.
 */
export function relativeDataFile(id: string, key: string): DataFilePlace | undefined {
  const place = placeOf(id, key);
  const parts = place.name.split('/');
  const inside = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part));
  return inside && (!place.shared || parts[0] === 'data') ? place : undefined;
}

function placeOf(id: string, key: string): DataFilePlace {
  const own = `${exportsFolder}/${id}/`;
  const at = key.lastIndexOf(own);
  if (at !== -1) return { shared: false, name: key.slice(at + own.length) };
  const shared = key.lastIndexOf(`${exportsFolder}/`);
  return { shared: true, name: shared === -1 ? key : key.slice(shared + exportsFolder.length + 1) };
}
