import { paginateScan, ScanCommand as Scan } from '@aws-sdk/client-dynamodb';
import { docClient, eachPage, raw } from '../lib/dynamo';

const table = `trades-${process.env.STAGE}`;

export async function* latestTrades(marketId: string) {
  const pages = paginateScan( // finds: paginate-scan trades markets.trades.byMarket
    { client: raw },
    {
      TableName: table,
      FilterExpression: 'marketId = :market',
      ExpressionAttributeValues: { ':market': { S: marketId } },
    },
  );
  for await (const page of pages) yield* page.Items ?? [];
}

export async function tradesOf(position: string) {
  const command = new Scan({ // finds: scan-command trades markets.trades.byPosition
    TableName: table,
    FilterExpression: ':p = positionId',
    ExpressionAttributeValues: { ':p': { S: position } },
  });
  return raw.send(command);
}

export function everyTrade() {
  return eachPage({ client: docClient }, { TableName: table }); // finds: paginate-scan trades -
}
