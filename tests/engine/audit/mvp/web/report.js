import { doc, TABLES } from '../lib/dynamo.js';
import { scanWhole } from '../services/market-service.js';

export const report = () => scanWhole(doc, TABLES.markets).then(({ Items }) => Items.length);
