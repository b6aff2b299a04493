/** What DynamoDB takes in one request of several parts. Each from its page of the Amazon DynamoDB API Reference. */

/** BatchWriteItem: up to 25 put or delete requests, up to 16 MB over the network. */
export const maxBatchWriteRequests = 25;
export const maxBatchWriteBytes = 16 * 1_024 * 1_024;

/** BatchGetItem: up to 100 keys. An answer has up to 16 MB; the keys that it leaves out come back as unprocessed. */
export const maxBatchGetKeys = 100;

/** BatchExecuteStatement: 1 to 25 statements; BatchStatementRequest: each of 1 to 8192 characters. */
export const maxBatchStatements = 25;
export const maxStatementLength = 8_192;
/** No limit is stated for the whole of them. This is well below the 16 MB of a batch of writes. */
export const maxBatchStatementBytes = 4 * 1_024 * 1_024;

/** TransactWriteItems: up to 100 actions on distinct items, up to 4 MB together. The catalogue's operations count them too. */
export { maxTransactionWrites } from '../../../tables/model/operation.ts';
export const maxTransactionBytes = 4 * 1_024 * 1_024;
