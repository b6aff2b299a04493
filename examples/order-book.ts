/**
 * The top of a market's book and its latest trades, read through the typed reader.
 *
 *   npx tablewright up --keep                                    (in one terminal)
 *   npx tsx examples/order-book.ts mkt123 http://127.0.0.1:8000  (in another)
 */
import { openReader, TablewrightError } from 'tablewright';
import project from '../tablewright.config.ts';

const [marketId = 'mkt123', endpoint = 'http://127.0.0.1:8000'] = process.argv.slice(2);
const depth = 5;

const reader = openReader(project, { stack: 'dev', region: 'us-east-1', endpoint });
try {
  const bids = reader.read('markets.orders.bestBids', { marketId, n: depth });
  const asks = reader.read('markets.orders.bestAsks', { marketId, n: depth });
  const [buying, selling] = await Promise.all([bids.all(), asks.all()]);
  console.log(`Book of ${marketId}`);
  // Prices are texts, digit by digit as they were stored; no float comes near them.
  for (const { price, remaining } of selling.toReversed()) console.log(`  sell ${price.padStart(12)} × ${remaining}`);
  console.log('  ----');
  for (const { price, remaining } of buying) console.log(`  buy  ${price.padStart(12)} × ${remaining}`);

  const trades = await reader.page('markets.trades.byMarket', { marketId }, { size: 3 });
  console.log(`Latest trades${trades.cursor === undefined ? '' : ' (there are more)'}`);
  for (const { createdAt, side, price, size } of trades.records) console.log(`  ${createdAt} ${side} ${size} at ${price}`);

  const units = bids.consumed.units + asks.consumed.units + trades.consumed.units;
  console.log(`${units} read units, by ${bids.consumed.way}`);
} catch (error) {
  if (!(error instanceof TablewrightError)) throw error;
  console.error(`${error.code}: ${error.message}${error.next === undefined ? '' : `\n→ ${error.next}`}`);
  process.exitCode = error.exitCode;
} finally {
  await reader.close();
}
