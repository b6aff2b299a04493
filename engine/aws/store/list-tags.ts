import { type DynamoDBClient, ListTagsOfResourceCommand } from '@aws-sdk/client-dynamodb';
import type { Tags } from '../../../tables/model/stack/tags.ts';

/** All tags of a table; DynamoDB gives them in pages. */
export async function listTags(client: DynamoDBClient, tableArn: string, signal?: AbortSignal): Promise<Tags> {
  const found: [string, string][] = [];
  let from: string | undefined;
  do {
    const request = { ResourceArn: tableArn, ...(from === undefined ? {} : { NextToken: from }) };
    const page = await client.send(new ListTagsOfResourceCommand(request), signal === undefined ? {} : { abortSignal: signal });
    for (const { Key = '', Value = '' } of page.Tags ?? []) found.push([Key, Value]);
    from = page.NextToken;
  } while (from !== undefined);
  return Object.fromEntries(found);
}
