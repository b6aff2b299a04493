import { openFaultProxy } from '../../tests/support/fault-proxy.ts';
import { openPages } from './page-server.ts';
import { askForTime, type ServerOrder } from './server-order.ts';
import { openSlowTable } from './slow-table.ts';
import { openStub } from './stub-server.ts';

/** A server of the bench in a process of its own; ends with its parent. */
function endpointOf(order: ServerOrder): Promise<string> {
  if (order.kind === 'stub') return openStub();
  if (order.kind === 'slow') return openSlowTable(order);
  if (order.kind === 'pages') return openPages(order.items);
  return openFaultProxy(order.target, { unprocessed: order.unprocessed }).then((proxy) => proxy.endpoint);
}

process.on('message', async (order: ServerOrder | typeof askForTime) => {
  const { user, system } = process.cpuUsage();
  process.send?.(order === askForTime ? user + system : await endpointOf(order));
});
process.once('disconnect', () => process.exit(0));
