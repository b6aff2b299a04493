import { cutOver, defineMigration } from '../engine/author.ts';
import { control, marketOrders, marketPositions, markets, omsConfig, trades } from '../tables/catalogue.ts';

export default defineMigration({
  id: '0011-cut-over-reads',
  description: 'The markets patterns and the listings of OMS config are read by Query instead of Scan',
  needs: {
    migrations: [
      '0001-index-oms-config',
      '0005-index-markets',
      '0006-index-order-book',
      '0007-index-trades',
      '0008-index-positions',
    ],
  },
  steps: [cutOver(omsConfig), cutOver(control, markets, marketOrders, marketPositions, trades)],
});
