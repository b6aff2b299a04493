const { DynamoDB } = require('aws-sdk');

const dynamodb = new DynamoDB();

module.exports.checkpoint = (callback) => {
  dynamodb.scan( // finds: scan-call control markets.control.checkpoint
    {
      TableName: 'control',
      FilterExpression: '#n = :n',
      ExpressionAttributeNames: { '#n': 'name' },
      ExpressionAttributeValues: { ':n': { S: 'indexer:checkpoint' } },
    },
    callback,
  );
};

module.exports.isHandled = async (signature) => {
  const found = await dynamodb['scan']({ TableName: 'control', FilterExpression: '#n = :n', ExpressionAttributeNames: { '#n': 'name' }, ExpressionAttributeValues: { ':n': { S: `idempotency:${signature}` } } }).promise(); // finds: scan-call control markets.control.claimOf
  return found.Count > 0;
};
