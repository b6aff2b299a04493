import type { StackName } from '../../../tables/model/stack/aws-place.ts';
import { driftMetric, metricNamespace } from '../../../tables/model/stack/drift-metric.ts';
import { cloudWatchClient } from '../command-clients.ts';
import type { Patience } from '../patience.ts';
import { storeError } from '../store/store-error.ts';

/** Says how many differences a stack has, by the metric that its alarm watches. */
export async function putDrift(
  { region, patience, signal }: { readonly region: string; readonly patience: Patience; readonly signal: AbortSignal },
  config: StackName,
  differences: number,
): Promise<void> {
  const { PutMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
  const client = await cloudWatchClient({ region, patience });
  const Dimensions = [{ Name: 'Stack', Value: config.stack }];
  const data = { MetricName: driftMetric, Dimensions, Value: differences, Unit: 'Count' as const };
  try {
    const request = new PutMetricDataCommand({ Namespace: metricNamespace(config), MetricData: [data] });
    await client.send(request, { abortSignal: signal });
  } catch (error) {
    throw storeError('CloudWatch metric', error);
  } finally {
    client.destroy();
  }
}
