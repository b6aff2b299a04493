import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export const raw = new DynamoDBClient({});
export const doc = DynamoDBDocument.from(raw);
export const docClient = DynamoDBDocumentClient.from(raw);

export const TABLES = {
  markets: process.env.MARKETS_TABLE ?? 'markets',
  orders: process.env.ORDERS_TABLE ?? 'orders',
  trades: 'trades',
} as const;

export { ScanCommand, paginateScan as eachPage } from '@aws-sdk/lib-dynamodb';
