/** The manifests of an export, as DynamoDB writes them (Developer Guide, "DynamoDB table export output format"). */
export interface ExportSummary {
  readonly exportArn: string;
  readonly tableArn: string;
  readonly startTime: string;
  readonly endTime: string;
  /** The moment that a full export is as of; when a portable one began. */
  readonly exportTime: string;
  readonly itemCount: number;
  readonly kind: 'full' | 'incremental';
  /** Incremental exports only. */
  readonly window?: { readonly from: string; readonly to: string };
  readonly images?: 'new-and-old' | 'new';
}

export interface DataFileEntry {
  readonly itemCount: number;
  /** Base64. */
  readonly md5: string;
  readonly etag: string;
  readonly key: string;
}

export type ParsedManifest<T> = { readonly value: T } | { readonly problems: readonly string[] };

export interface SummaryPlace {
  readonly bucket: string;
  readonly prefix: string;
  readonly manifestKey: string;
}

/** The summary of a full export. `extra` is the toolkit's own; readers pass over keys that they do not know. */
export function printSummary(summary: ExportSummary, place: SummaryPlace, extra: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(
    {
      version: '2023-08-01',
      exportArn: summary.exportArn,
      startTime: summary.startTime,
      endTime: summary.endTime,
      tableArn: summary.tableArn,
      tableId: null,
      exportTime: summary.exportTime,
      s3Bucket: place.bucket,
      s3Prefix: place.prefix,
      s3SseAlgorithm: null,
      s3SseKmsKeyId: null,
      manifestFilesS3Key: place.manifestKey,
      billedSizeBytes: 0,
      itemCount: summary.itemCount,
      outputFormat: 'DYNAMODB_JSON',
      exportType: 'FULL_EXPORT',
      tablewright: extra,
    },
    undefined,
    2,
  )}\n`;
}

export function printFiles(files: readonly DataFileEntry[]): string {
  return files
    .map(({ itemCount, md5, etag, key }) => `${JSON.stringify({ itemCount, md5Checksum: md5, etag, dataFileS3Key: key })}\n`)
    .join('');
}

/** Every way in which the text is no summary of an export that can be read. */
export function parseSummary(text: string): ParsedManifest<ExportSummary> {
  const json = parseObject(text);
  if (json === undefined) return { problems: ['expected a JSON object, found something else'] };
  const problems: string[] = [];
  const word = (name: string): string => {
    const value = json[name];
    if (typeof value === 'string') return value;
    problems.push(`${name}: expected a text, found ${JSON.stringify(value) ?? 'nothing'}`);
    return '';
  };
  if (json.outputFormat !== 'DYNAMODB_JSON') {
    problems.push(`outputFormat: expected DYNAMODB_JSON, found ${JSON.stringify(json.outputFormat) ?? 'nothing'}`);
  }
  if (!isCount(json.itemCount))
    problems.push(`itemCount: expected a whole number, found ${JSON.stringify(json.itemCount) ?? 'nothing'}`);
  const incremental = json.exportType === 'INCREMENTAL_EXPORT';
  const base = {
    exportArn: word('exportArn'),
    tableArn: word('tableArn'),
    startTime: word('startTime'),
    endTime: word('endTime'),
    exportTime: incremental ? word('exportToTime') : word('exportTime'),
    itemCount: Number(json.itemCount),
  };
  const value: ExportSummary = incremental
    ? {
        ...base,
        kind: 'incremental',
        window: { from: word('exportFromTime'), to: word('exportToTime') },
        images: json.outputView === 'NEW_IMAGE' || json.outputView === 'NEW_IMAGES' ? 'new' : 'new-and-old',
      }
    : { ...base, kind: 'full' };
  return problems.length === 0 ? { value } : { problems };
}

/** Every line that describes no data file, by its number. */
export function parseFiles(text: string): ParsedManifest<readonly DataFileEntry[]> {
  const problems: string[] = [];
  const files: DataFileEntry[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const json = parseObject(line);
    const { itemCount, md5Checksum, etag, dataFileS3Key } = json ?? {};
    if (isCount(itemCount) && typeof md5Checksum === 'string' && typeof dataFileS3Key === 'string' && dataFileS3Key !== '') {
      files.push({ itemCount, md5: md5Checksum, etag: typeof etag === 'string' ? etag : '', key: dataFileS3Key });
    } else {
      problems.push(`line ${at + 1}: expected itemCount, md5Checksum and dataFileS3Key, found ${line.slice(0, 80)}`);
    }
  }
  return problems.length === 0 ? { value: files } : { problems };
}

/** Hash files hold the MD5 in base64, or in hexadecimal. */
export function hashAgrees(stated: string, base64: string): boolean {
  const trimmed = stated.trim();
  return trimmed === base64 || trimmed.toLowerCase() === Buffer.from(base64, 'base64').toString('hex');
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
