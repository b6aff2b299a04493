import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { docClient, TABLES } from '../lib/dynamo';

// Homepage: ScanCommand for now, the GSI comes later.
export async function recentMarkets(status: string) {
  const input: ScanCommandInput = {
    TableName: TABLES.markets,
    FilterExpression: '#s = :s',
    ExpressionAttributeNames: { '#s': 'status' },
    ExpressionAttributeValues: { ':s': status },
  };
  const { Items = [] } = await docClient.send(new ScanCommand(input)); // finds: scan-command markets markets.markets.byStatus
  return Items.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}
