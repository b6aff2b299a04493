const AWS = require('aws-sdk');

const documents = new AWS.DynamoDB.DocumentClient({ region: 'us-east-1' });
const POSITIONS_TABLE = process.env.POSITIONS_TABLE;

exports.positionsOf = async (owner) => {
  const answer = await documents // finds: scan-call positions markets.positions.byOwner
    .scan({ TableName: POSITIONS_TABLE, FilterExpression: '#o = :o', ExpressionAttributeNames: { '#o': 'owner' }, ExpressionAttributeValues: { ':o': owner } })
    .promise();
  return answer.Items;
};

exports.positionIn = (owner, marketId, done) => {
  const request = {
    TableName: 'positions',
    ScanFilter: {
      owner: { ComparisonOperator: 'EQ', AttributeValueList: [owner] },
      marketId: { ComparisonOperator: 'EQ', AttributeValueList: [marketId] },
    },
  };
  documents.scan(request, done); // finds: scan-call positions markets.positions.ofOwnerInMarket
};
