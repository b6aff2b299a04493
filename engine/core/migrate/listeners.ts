/** A Lambda function that gets the records of a stream. */
export interface Trigger {
  /** Of its event source mapping. */
  readonly uuid: string;
  readonly functionName: string;
  /** The stream's ARN. */
  readonly source: string;
  /** Lambda API reference, EventSourceMappingConfiguration: `Enabled`, `Disabled`, or on the way from one to the other. */
  readonly state: string;
  readonly batchSize: number | undefined;
}

/** Who hears of a table's changes. */
export interface TableListeners {
  readonly stream: { readonly arn: string; readonly view: string } | undefined;
  /** ARNs of Kinesis streams that get the changes, too. */
  readonly kinesis: readonly string[];
  /** Regions of a global table's other tables. */
  readonly replicas: readonly string[];
  readonly triggers: readonly Trigger[];
  /** What could not be seen, and why. */
  readonly unseen: readonly string[];
}

export const noListeners: TableListeners = { stream: undefined, kinesis: [], replicas: [], triggers: [], unseen: [] };

/** DynamoDB Developer Guide, "Change data capture for DynamoDB Streams": records are kept for 24 hours. */
export const streamRetentionSeconds = 24 * 60 * 60;

/** Consumers tell a mark that was set from one that was there by both images. */
export const viewForMarks = 'NEW_AND_OLD_IMAGES';

/** Is it called with what is written now? */
export function isListening({ state }: Pick<Trigger, 'state'>): boolean {
  return state !== 'Disabled';
}

/** Turns a trigger off, or on again. */
export function triggerCommand({ uuid }: Pick<Trigger, 'uuid'>, region: string, enabled: boolean): string {
  return `aws lambda update-event-source-mapping --region ${region} --uuid ${uuid} --${enabled ? '' : 'no-'}enabled`;
}

export function hasListeners({ stream, kinesis, replicas, unseen }: TableListeners): boolean {
  return stream !== undefined || kinesis.length + replicas.length + unseen.length > 0;
}
