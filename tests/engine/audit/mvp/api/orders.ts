import { doc, TABLES } from '../lib/dynamo';

export async function ordersOf(user: { wallet: string }) {
  const params: Record<string, unknown> = { TableName: TABLES.orders };
  params.FilterExpression = 'owner = :o';
  params.ExpressionAttributeValues = { ':o': user.wallet };
  const found = [];
  do {
    const page = await doc.scan(params); // finds: scan-call orders markets.orders.byOwner
    found.push(...(page.Items ?? []));
    params.ExclusiveStartKey = page.LastEvaluatedKey;
  } while (params.ExclusiveStartKey);
  return found;
}

export async function orderById(id: string) {
  const { Items } = await doc.scan({ TableName: TABLES.orders }); // finds: scan-call orders markets.orders.byId
  return Items?.find((order) => order.id === id);
}

export async function ordersByMarket(market: string) {
  return doc.query({
    TableName: TABLES.orders,
    IndexName: 'orders_by_market_buy',
    KeyConditionExpression: 'gsi1pk = :m',
    ExpressionAttributeValues: { ':m': `${market}#Buy` },
  });
}
