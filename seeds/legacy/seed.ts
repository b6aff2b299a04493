import { defineSeed, rawFile } from '../../engine/author.ts';
import {
  activeCoins,
  backtestResults,
  control,
  marketOrders,
  marketPositions,
  markets,
  omsConfig,
  omsTradingData,
  orderManagement,
  scanHistory,
  trades,
} from '../../tables/catalogue.ts';

const legacyTables = [
  omsConfig,
  omsTradingData,
  markets,
  marketOrders,
  trades,
  marketPositions,
  control,
  backtestResults,
  scanHistory,
  activeCoins,
  orderManagement,
];

/**
 * Items in the shapes that the migrations find: no index attributes, `ttl` missing or in milliseconds, analysts' orders
 * without links, results without status. Their keys are apart from those of every other set.
 */
export default defineSeed({
  description: 'Records as they were written before the migrations',
  stacks: ['local', 'dev'],
  onRequest: true,
  // The migrations change these records; counting their times anew would bring the old shapes back.
  times: 'once',
  fixtures: legacyTables.map((table) => rawFile(table, `${table.name}.jsonl`)),
});
