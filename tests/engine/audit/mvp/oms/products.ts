const stage = process.env.STAGE ?? 'dev';

export async function allProducts() {
  const { DynamoDBClient, ScanCommand } = await import('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient({});
  return client.send(
    new ScanCommand({ // finds: scan-command oms_config oms.config.allProducts
      TableName: `oms_config_${stage}`,
      FilterExpression: 'begins_with(PK, :pk)',
      ExpressionAttributeValues: { ':pk': { S: 'PRODUCT#' } },
    }),
  );
}

export async function ordersOfClient(clientId: string) {
  const { DynamoDBClient, ScanCommand } = await import('@aws-sdk/client-dynamodb');
  return new DynamoDBClient({}).send(
    new ScanCommand({ // finds: scan-command oms_trading_data oms.trading.ordersOfClient
      TableName: 'oms_trading_data_prod',
      FilterExpression: 'client_id = :c AND entity_type = :e',
      ExpressionAttributeValues: { ':c': { S: clientId }, ':e': { S: 'ORDER' } },
    }),
  );
}
