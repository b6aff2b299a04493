import type { CloudWatchClient } from '../command-clients.ts';

/** CloudWatch has a point a minute; what is older than this says nothing of now. */
const recentMs = 10 * 60_000;
const periodSeconds = 60;

/**
 * How far DynamoDB is with a new index, in per cent (Developer Guide, "DynamoDB metrics": OnlineIndexPercentageProgress). Undefined where
 * CloudWatch has nothing of it, or may not be asked: it is for people to see, and nothing depends on it.
 */
export function indexProgress(open: () => Promise<CloudWatchClient>, nowMs: () => number) {
  return async (tableName: string, index: string, signal?: AbortSignal): Promise<number | undefined> => {
    try {
      const client = await open();
      const { GetMetricStatisticsCommand } = await import('@aws-sdk/client-cloudwatch');
      const command = new GetMetricStatisticsCommand({
        Namespace: 'AWS/DynamoDB',
        MetricName: 'OnlineIndexPercentageProgress',
        Dimensions: [
          { Name: 'TableName', Value: tableName },
          { Name: 'GlobalSecondaryIndexName', Value: index },
        ],
        StartTime: new Date(nowMs() - recentMs),
        EndTime: new Date(nowMs()),
        Period: periodSeconds,
        Statistics: ['Maximum'],
      });
      const { Datapoints = [] } = await client.send(command, signal === undefined ? {} : { abortSignal: signal });
      const known = Datapoints.flatMap(({ Maximum }) => (Maximum === undefined ? [] : [Maximum]));
      return known.length === 0 ? undefined : Math.max(...known);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      return undefined;
    }
  };
}
