import { defineSeed, file, mixedFile } from '../../engine/author.ts';
import { control } from '../../tables/markets/control.ts';
import { market, markets } from '../../tables/markets/markets.ts';
import { marketOrder, marketOrders } from '../../tables/markets/orders.ts';
import { marketPosition, marketPositions } from '../../tables/markets/positions.ts';
import { trade, trades } from '../../tables/markets/trades.ts';
import { marketsVolume } from './volume.ts';

export default defineSeed({
  description: 'The prediction market: markets, books with depth and dead orders, trades, positions, indexer rows',
  system: 'markets',
  stacks: ['local', 'dev'],
  fixtures: [
    file(markets, market, 'markets.json'),
    file(marketOrders, marketOrder, 'orders.csv'),
    file(trades, trade, 'trades.jsonl'),
    file(marketPositions, marketPosition, 'positions.json'),
    mixedFile(control, 'control.json'),
  ],
  volume: marketsVolume,
});
