import { type DynamoDBDocument, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { DocumentClient } from 'aws-sdk/clients/dynamodb';

interface Deps {
  readonly tableName: string;
}

export class MarketService {
  readonly #deps: Deps;
  private readonly legacy: DocumentClient;

  constructor(
    private readonly db: DynamoDBDocument,
    deps: Deps,
    legacy: DocumentClient,
  ) {
    this.#deps = deps;
    this.legacy = legacy;
  }

  all() {
    return this.db.scan({ TableName: this.#deps.tableName }); // finds: scan-call - -
  }

  async active() {
    const { Items = [] } = await this.legacy.scan({ TableName: 'markets' }).promise(); // finds: scan-call markets markets.markets.byStatus
    return Items.filter((market) => market.status === 'Active');
  }
}

/** One helper for all of them: its callers say which table. */
export const scanWhole = (db: DynamoDBDocument, tableName: string) => db.send(new ScanCommand({ TableName: tableName })); // finds: scan-command - -

export const nightly = (db: DynamoDBDocument) => scanWhole(db, 'trades');

export async function exportMarkets(db: DynamoDBDocument) {
  // tablewright-allow-scan: the nightly export wants every record
  return db.scan({ TableName: 'markets' }); // finds: scan-call markets - allowed
}
