import { scanArchive } from './tables/backtest/scan-archive.ts';
import * as tables from './tables/catalogue.ts';
import { defineProject } from './tables/model/project.ts';

export default defineProject({
  name: 'tablewright',
  tables,
  migrations: 'migrations',
  seeds: 'seeds',
  systems: ['oms', 'markets', 'backtest', 'order-management'],
  archive: scanArchive,
});
