import type { PriceList, Work } from './plan.ts';

/** Per million items of the table, in US dollars, where a part of them changes. */
export interface OtherWay {
  readonly share: number;
  readonly workers: number;
  readonly exported: number;
  /** Below this price for a GB of items that are put, bulk put is the cheaper one; undefined where no price is low enough. */
  readonly ifChangedAlone: number | undefined;
  /** The same where all items are put again. */
  readonly ifAll: number | undefined;
}

const million = 1_000_000;
const bytesPerGb = 1_024 ** 3;

/**
 * Export, transform, bulk put, beside workers. What a bulk put costs could not be found, so this says what it may cost. The transformation is
 * taken for free, which is to its advantage.
 */
export function otherWay(share: number, work: Work, itemBytes: number, exportGb: number, prices: PriceList): OtherWay {
  const gb = (million * itemBytes) / bytesPerGb;
  const written = share * work.writeUnitsPerItem * prices.writeUnit;
  const workers = million * (written + work.readUnitsPerItem * prices.readUnit);
  const exported = gb * exportGb;
  const left = workers - exported;
  const within = (putGb: number): number | undefined => (left <= 0 ? undefined : left / putGb);
  return { share, workers, exported, ifChangedAlone: within(gb * share), ifAll: within(gb) };
}
