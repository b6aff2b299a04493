import type { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { expect } from 'chai';
import type { CloudWatchClient } from '../../../engine/aws/command-clients.ts';
import { indexProgress } from '../../../engine/aws/migrate/index-progress.ts';

const nowMs = Date.UTC(2026, 10, 18);

describe('how far an index is, by CloudWatch', () => {
  const asked: unknown[] = [];
  const progress = (answer: () => Promise<unknown>) =>
    indexProgress(
      async () =>
        ({
          send: (command: GetMetricStatisticsCommand) => {
            asked.push(command.input);
            return answer();
          },
        }) as unknown as CloudWatchClient,
      () => nowMs,
    );

  it('is the highest point of the last minutes, of the index and no other', async () => {
    const points = { Datapoints: [{ Maximum: 12 }, { Maximum: 41.7 }, { Maximum: 33 }, {}] };
    expect(await progress(async () => points)('notes-dev', 'ByTopic')).to.equal(41.7);
    // The metric has these two dimensions; asked with fewer it has no points, and no error says so.
    expect(asked.at(-1)).to.deep.include({
      Namespace: 'AWS/DynamoDB',
      MetricName: 'OnlineIndexPercentageProgress',
      Dimensions: [
        { Name: 'TableName', Value: 'notes-dev' },
        { Name: 'GlobalSecondaryIndexName', Value: 'ByTopic' },
      ],
      StartTime: new Date(nowMs - 10 * 60_000),
      EndTime: new Date(nowMs),
    });
  });

  it('is not known where CloudWatch has nothing or may not be asked; a stop is a stop', async () => {
    expect(await progress(async () => ({ Datapoints: [] }))('notes-dev', 'ByTopic')).to.equal(undefined);
    const denied = progress(() => Promise.reject(new Error('AccessDenied')));
    expect(await denied('notes-dev', 'ByTopic')).to.equal(undefined);
    const stopped = await denied('notes-dev', 'ByTopic', AbortSignal.abort()).catch((error: Error) => error.message);
    expect(stopped).to.equal('AccessDenied');
  });
});
