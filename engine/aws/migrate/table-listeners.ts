import { DescribeKinesisStreamingDestinationCommand, DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { noListeners, type TableListeners, type Trigger } from '../../core/migrate/listeners.ts';
import type { LambdaClient } from '../command-clients.ts';
import { isUnknownOperation, storeError } from '../store/store-error.ts';

/** Where triggers are asked for; undefined on a server that has no Lambda beside it. */
export type OpenLambda = () => Promise<LambdaClient>;

/** Who hears of a table's changes. What the caller may not see is told as such: a plan can do without. */
export async function tableListeners(
  client: DynamoDBClient,
  openLambda: OpenLambda | undefined,
  tableName: string,
  signal?: AbortSignal,
): Promise<TableListeners> {
  const options = signal === undefined ? {} : { abortSignal: signal };
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }), options).catch((error: unknown) => {
    throw storeError(tableName, error);
  });
  if (Table === undefined) return noListeners;
  const { StreamSpecification: specification, LatestStreamArn: arn } = Table;
  const isOn = specification?.StreamEnabled === true && arn !== undefined;
  const stream = isOn ? { arn, view: specification.StreamViewType ?? 'KEYS_ONLY' } : undefined;
  const replicas = (Table.Replicas ?? []).flatMap(({ RegionName }) => RegionName ?? []);
  const unseen: string[] = [];
  const seen = <T>(what: string, look: () => Promise<readonly T[]>) => lookAt(what, look, unseen);
  const kinesis = await seen('its Kinesis streams', () => kinesisStreams(client, tableName, options));
  const sources = [...(stream === undefined ? [] : [stream.arn]), ...kinesis];
  const triggers =
    openLambda === undefined || sources.length === 0
      ? []
      : await seen('its triggers', async () => {
          const lambda = await openLambda();
          return (await Promise.all(sources.map((source) => triggersOf(lambda, source, options)))).flat();
        });
  return { stream, kinesis, replicas, triggers, unseen };
}

interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

async function lookAt<T>(what: string, look: () => Promise<readonly T[]>, unseen: string[]): Promise<readonly T[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError') throw error;
    unseen.push(`${what} cannot be seen (${error.name}: ${error.message})`);
    return [];
  }
}

/** DynamoDB API reference, KinesisDataStreamDestination: those that get changes, or are about to. */
const active: ReadonlySet<string | undefined> = new Set(['ACTIVE', 'ENABLING', 'UPDATING']);

async function kinesisStreams(client: DynamoDBClient, TableName: string, options: SendOptions): Promise<readonly string[]> {
  try {
    const answer = await client.send(new DescribeKinesisStreamingDestinationCommand({ TableName }), options);
    const { KinesisDataStreamDestinations: found = [] } = answer;
    return found.filter(({ DestinationStatus }) => active.has(DestinationStatus)).flatMap(({ StreamArn }) => StreamArn ?? []);
  } catch (error) {
    // A compatible server may do without; then no table has them.
    if (isUnknownOperation(error)) return [];
    throw error;
  }
}

async function triggersOf(lambda: LambdaClient, source: string, options: SendOptions): Promise<readonly Trigger[]> {
  // Loaded when it is needed: most commands never ask Lambda anything.
  const { ListEventSourceMappingsCommand } = await import('@aws-sdk/client-lambda');
  const found: Trigger[] = [];
  let Marker: string | undefined;
  do {
    const request = { EventSourceArn: source, ...(Marker === undefined ? {} : { Marker }) };
    const answer = await lambda.send(new ListEventSourceMappingsCommand(request), options);
    for (const { UUID = '', FunctionArn = '', State = 'Enabled', BatchSize } of answer.EventSourceMappings ?? []) {
      const functionName = /:function:(.+)$/.exec(FunctionArn)?.[1] ?? FunctionArn;
      found.push({ uuid: UUID, functionName, source, state: State, batchSize: BatchSize });
    }
    Marker = answer.NextMarker;
  } while (Marker !== undefined && Marker !== '');
  return found;
}
