import type { Volume } from '../../engine/author.ts';
import { backtestVolume } from '../../seeds/backtest/volume.ts';
import { marketsVolume } from '../../seeds/markets/volume.ts';
import { omsVolume } from '../../seeds/oms/volume.ts';
import { orderManagementVolume } from '../../seeds/order-management/volume.ts';

/** What generates data of each system. */
export const volumes: Readonly<Record<string, Volume>> = {
  oms: omsVolume,
  markets: marketsVolume,
  backtest: backtestVolume,
  'order-management': orderManagementVolume,
};
