/**
 * What DynamoDB charges, in US dollars. The only place with prices: on-demand requests per million units, the rest per GB
 * and month. A region that is missing here takes its line in this file, or `tablewright:priceRegion` names one to use.
 */
export interface Prices {
  readonly writeRequestUnits: number;
  readonly readRequestUnits: number;
  readonly storage: number;
  readonly pointInTimeRecovery: number;
  readonly onDemandBackup: number;
}

/** When these prices were true. */
export const pricesAsOf = '2025-11-14';

export const pricesByRegion: Readonly<Record<string, Prices>> = {
  'us-east-1': {
    writeRequestUnits: 1.25,
    readRequestUnits: 0.25,
    storage: 0.25,
    pointInTimeRecovery: 0.2,
    onDemandBackup: 0.1,
  },
};

const unitsPerPrice = 1_000_000;

/** What so many on-demand units cost; undefined where the region's prices are not known. */
export function requestCost(region: string, units: { readonly read: number; readonly write: number }): number | undefined {
  const prices = pricesByRegion[region];
  if (prices === undefined) return undefined;
  return (units.read * prices.readRequestUnits + units.write * prices.writeRequestUnits) / unitsPerPrice;
}
