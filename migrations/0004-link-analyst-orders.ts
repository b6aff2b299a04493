import { defineMigration, insertItems } from '../engine/author.ts';
import { omsTradingData } from '../tables/catalogue.ts';
import type { Item } from '../tables/model/attribute-value.ts';
import { deriveAttributes } from '../tables/model/item.ts';
import { analystOrder, order } from '../tables/oms/trading-data.ts';

const carried = [...Object.keys(analystOrder.schema.shape), 'ttl'];

/** The second item of an order that an analyst recommended. */
function linkOf(item: Item): Item {
  const link: Item = { entity_type: { S: 'ANALYST_ORDER' } };
  for (const name of carried) if (item[name] !== undefined) link[name] = item[name];
  const { set, problems } = deriveAttributes(omsTradingData, analystOrder, link);
  if (problems.length > 0) throw new Error(problems.join('; '));
  // The order's own ttl where it has one: both expire together.
  return { ...set, ...link };
}

export default defineMigration({
  id: '0004-link-analyst-orders',
  description: 'Orders with an analyst get their link, by which they are found',
  needs: { migrations: ['0003-index-oms-trading'], indexes: [{ table: omsTradingData, indexes: ['GSI1'] }] },
  steps: [
    insertItems({
      name: 'links of orders with an analyst',
      table: omsTradingData,
      entities: [order],
      reads: carried,
      items: (item) => (item.analyst_id === undefined ? [] : [linkOf(item)]),
    }),
  ],
});
