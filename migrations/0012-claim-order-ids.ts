import { defineMigration, insertItems } from '../engine/author.ts';
import { omsTradingData } from '../tables/catalogue.ts';
import { type Item, scalarText } from '../tables/model/attribute-value.ts';
import { companionsOf } from '../tables/model/companion.ts';
import { brazilianToIso } from '../tables/model/time.ts';
import { order, orderId } from '../tables/oms/trading-data.ts';

/** The order that a record of an id is about, as people read its key. */
function orderOf({ client_id, created_at, order_id }: Item): string {
  const at = brazilianToIso(scalarText(created_at) ?? '') ?? '?';
  return `CLIENT#${scalarText(client_id)} / ORDER#${at}#${scalarText(order_id)}`;
}

export default defineMigration({
  id: '0012-claim-order-ids',
  description: 'Every order gets the record that keeps its id from being given twice; orders that share one become dead letters',
  needs: { migrations: ['0002-repair-trading-ttl', '0003-index-oms-trading'] },
  steps: [
    insertItems({
      name: 'ids of orders',
      table: omsTradingData,
      entities: [order],
      reads: [...Object.keys(orderId.schema.shape), 'ttl'],
      items: (item) => companionsOf(omsTradingData, order, item).flatMap((one) => (one.entity === orderId ? [one.item] : [])),
      taken: (there, made) => {
        const [holder, other] = [orderOf(there), orderOf(made)];
        return holder === other
          ? undefined
          : `order_id ${scalarText(made.order_id)} is that of two orders: ${holder} and ${other}`;
      },
    }),
  ],
});
