import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { ImportError } from '../../core/transfer/native-store.ts';

/** DynamoDB Developer Guide, "Import format quotas and validation": the log group, and a stream of errors for each import. */
export const importLogGroup = '/aws-dynamodb/imports';

export function errorStreamOf(importArn: string): string {
  return `${importArn.split('/').at(-1)}/error`;
}

export function logGroupName(arn: string | undefined): string {
  return arn?.replace(/^.*:log-group:/, '').replace(/:\*$/, '') ?? importLogGroup;
}

/** The first errors of an import. A stream that is not there holds none. */
export async function readImportLog(
  client: CloudWatchLogsClient,
  importArn: string,
  logGroup: string | undefined,
  most: number,
  signal: AbortSignal | undefined,
): Promise<readonly ImportError[]> {
  const request = {
    logGroupName: logGroupName(logGroup),
    logStreamName: errorStreamOf(importArn),
    startFromHead: true,
    limit: most,
  };
  const { GetLogEventsCommand } = await import('@aws-sdk/client-cloudwatch-logs');
  try {
    const { events = [] } = await client.send(
      new GetLogEventsCommand(request),
      signal === undefined ? {} : { abortSignal: signal },
    );
    return events.map(({ message = '' }) => errorOf(message));
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return [];
    throw error;
  }
}

interface LoggedError {
  readonly itemS3Pointer?: { readonly bucket?: string; readonly key?: string; readonly itemIndex?: number };
  readonly errorMessages?: readonly string[];
}

function errorOf(message: string): ImportError {
  let logged: LoggedError;
  try {
    logged = JSON.parse(message) as LoggedError;
  } catch {
    return { place: undefined, messages: [message] };
  }
  const { itemS3Pointer: at, errorMessages = [] } = logged;
  const line = at?.itemIndex === undefined ? '' : `:${at.itemIndex + 1}`;
  return { place: at?.key === undefined ? undefined : `s3://${at.bucket}/${at.key}${line}`, messages: errorMessages };
}
