import { openSlowOrders, type SlowOrders } from './slow-orders.ts';

/** What the slow table has to say of itself. */
export interface SlowFigures {
  readonly indexed: number;
  readonly cpuMicros: number;
  readonly units: number;
  readonly throttles: number;
  readonly partitions: number;
}

/** The slow table in a process of its own; ends with its parent. Its first message is the order, every other asks how it stands. */
process.once('message', async (order: SlowOrders) => {
  const table = await openSlowOrders(order);
  const cpu = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(cpu);
    const { indexed, units, partitions } = table.orders;
    const { throttles = 0, count = 0 } = partitions ?? {};
    const figures: SlowFigures = { indexed, cpuMicros: user + system, units, throttles, partitions: count };
    process.send?.(figures);
  });
  process.send?.(table.endpoint);
});
process.once('disconnect', () => process.exit(0));
