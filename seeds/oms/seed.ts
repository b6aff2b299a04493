import { defineSeed, file, mixedFile } from '../../engine/author.ts';
import { client, omsConfig, product, setting } from '../../tables/oms/config.ts';
import { omsTradingData } from '../../tables/oms/trading-data.ts';
import { omsVolume } from './volume.ts';

export default defineSeed({
  description: 'The OMS: products, clients and settings; orders with their fills, links and positions',
  system: 'oms',
  stacks: ['local', 'dev'],
  fixtures: [
    file(omsConfig, product, 'products.csv'),
    file(omsConfig, client, 'clients.csv'),
    file(omsConfig, setting, 'settings.json'),
    mixedFile(omsTradingData, 'trading.jsonl'),
  ],
  volume: omsVolume,
});
