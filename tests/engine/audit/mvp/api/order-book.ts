import * as dynamodb from '@aws-sdk/lib-dynamodb';
import { docClient, ScanCommand, TABLES } from '../lib/dynamo';

const live = ['Open', 'PartiallyFilled'];

export async function topOfBook(marketId: string, n: number) {
  const bids = await docClient.send(
    new ScanCommand({ // finds: scan-command orders markets.orders.bestBids
      TableName: TABLES.orders,
      FilterExpression: 'marketId = :m AND side = :side',
      ExpressionAttributeValues: { ':m': marketId, ':side': 'Buy' },
    }),
  );
  const asks = await docClient.send(
    new dynamodb.ScanCommand({ // finds: scan-command orders markets.orders.bestAsks
      TableName: 'orders-dev',
      FilterExpression: '#market = :m AND #side = :side AND remaining > :zero',
      ExpressionAttributeNames: { '#market': 'marketId', '#side': 'side' },
      ExpressionAttributeValues: { ':m': marketId, ':side': 'Sell', ':zero': 0 },
    }),
  );
  const tradable = (order: Record<string, unknown>) => live.includes(String(order.status));
  return {
    bids: (bids.Items ?? []).filter(tradable).sort((a, b) => b.price - a.price).slice(0, n),
    asks: (asks.Items ?? []).filter(tradable).sort((a, b) => a.price - b.price).slice(0, n),
  };
}
