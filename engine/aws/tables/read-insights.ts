import { type ContributorInsightsSummary, type DynamoDBClient, ListContributorInsightsCommand } from '@aws-sdk/client-dynamodb';
import type { FoundInsights } from '../../core/tables/attachments.ts';
import { isUnknownOperation, storeError } from '../store/store-error.ts';

/** What counts the keys of a table and of its indexes; undefined where the server does not know of it. */
export async function readInsights(
  client: DynamoDBClient,
  table: string,
  abortSignal: AbortSignal,
): Promise<readonly FoundInsights[] | undefined> {
  const summaries: ContributorInsightsSummary[] = [];
  let from: string | undefined;
  try {
    do {
      const request = { TableName: table, ...(from === undefined ? {} : { NextToken: from }) };
      const page = await client.send(new ListContributorInsightsCommand(request), { abortSignal });
      summaries.push(...(page.ContributorInsightsSummaries ?? []));
      from = page.NextToken;
    } while (from !== undefined);
  } catch (error) {
    if (isUnknownOperation(error)) return undefined;
    throw storeError(table, error);
  }
  return summaries.flatMap(({ IndexName: index, ContributorInsightsStatus: status, ContributorInsightsMode: mode }) =>
    // What it is when nobody said otherwise (UpdateContributorInsights, `ContributorInsightsMode`).
    status === 'ENABLED' || status === 'ENABLING' ? [{ index, mode: mode ?? 'ACCESSED_AND_THROTTLED_KEYS' }] : [],
  );
}
