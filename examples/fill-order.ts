/**
 * Writes through the typed writer: a market with an order, fills that come twice and at once, a position that several change.
 *
 *   npx tablewright up --keep                              (in one terminal)
 *   npx tsx examples/fill-order.ts http://127.0.0.1:8000   (in another)
 */
import { openReader, openWriter, TablewrightError } from 'tablewright';
import * as entities from '../tables/entities.ts';
import * as operations from '../tables/operations.ts';
import project from '../tablewright.config.ts';

const [endpoint = 'http://127.0.0.1:8000', id = `demo-${Date.now()}`] = process.argv.slice(2);
const place = { stack: 'dev', region: 'us-east-1', endpoint };
const writer = openWriter(project, place);
const reader = openReader(project, { ...place, follow: 'query' });
const createdAt = new Date().toISOString();

try {
  // All or nothing; sent again with the same token within ten minutes it still happens once.
  const made = await writer.together(
    (all) => {
      all.put(entities.market, { id, title: 'Will it rain?', status: 'Active', createdAt });
      all.put(entities.marketPosition, { id: `${id}:pos`, owner: 'alice', marketId: id, size: 0, avgPrice: '0.5', createdAt });
      all.put(entities.marketOrder, {
        id: `${id}:order`,
        marketId: id,
        side: 'Buy',
        price: '0.5',
        size: '10',
        remaining: '10',
        status: 'Open',
        owner: 'alice',
        createdAt,
      });
    },
    { token: `${id}:make` },
  );
  console.log(`made: ${made.outcome}`);

  // Three fills, each sent twice and all at once: a trade counts once, and no more is filled than there is.
  const fill = (number: number, size: string) =>
    writer.run(operations.fillMarketOrder, {
      id: `${id}:trade:${number}`,
      marketId: id,
      positionId: `${id}:pos`,
      orderId: `${id}:order`,
      side: 'Sell',
      price: '0.5',
      size,
      createdAt,
    });
  const fills = await Promise.all([1, 2, 3, 1, 2, 3].map((number) => fill(number, '3.5')));
  console.log(`fills: ${fills.filter(({ outcome }) => outcome === 'applied').length} of 3 trades`);
  const order = await reader.first('markets.orders.byId', { id: `${id}:order` }, { consistent: true });
  console.log(`order: ${order?.remaining} left, ${order?.status}`);

  // By a function of what is there: asked again whenever somebody else was faster, so every change counts.
  const bought = () =>
    writer.update(entities.marketPosition, { id: `${id}:pos` }, ({ size }) => ({ size: String(Number(size) + 1) }));
  await Promise.all(Array.from({ length: 5 }, bought));
  const [position] = await reader.read('markets.positions.byMarket', { marketId: id }).all();
  console.log(`position: ${position?.size}`);

  // A record as it was read: it is changed only if it still is so.
  if (order !== undefined) {
    console.log((await writer.update(entities.marketOrder, order, { status: 'Cancelled' })).outcome);
    const late = await writer.update(entities.marketOrder, order, { status: 'Expired' });
    console.log(late.outcome === 'refused' ? `refused: ${late.reason}` : late.outcome);
  }
} catch (error) {
  if (!(error instanceof TablewrightError)) throw error;
  // OUTCOME_UNKNOWN, MISSING_REFERENCE, BAD_ITEM …: told apart by code, with what to do next.
  console.error(`${error.code}: ${error.message}${error.next === undefined ? '' : `\n→ ${error.next}`}`);
  process.exitCode = error.exitCode;
} finally {
  await reader.close();
  await writer.close();
}
