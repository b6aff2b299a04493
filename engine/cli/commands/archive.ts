import { scanHistory } from '../../../tables/backtest/scan-history.ts';
import { statisticsPrefix } from '../../../tables/stack-config/storage.ts';
import { physicalName } from '../../../tables/stack-config.ts';
import { migrationStore } from '../../aws/migrate/migration-store.ts';
import { archiveScans } from '../../run/archive/archive-scans.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { readTablePage } from '../../run/transfer/read-table-page.ts';
import type { Action, Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { type OpenStack, withStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { budgetOf } from '../transfer/budget-of.ts';
import { openPlace, s3Place } from '../transfer/open-place.ts';
import { showCommand, showCount } from '../transfer/show.ts';
import { stackBucket } from '../transfer/stack-bucket.ts';
import type spec from './archive.spec.js';

const archive: Action<typeof spec> = (context, options) =>
  withStack(context, {}, async (stack) => {
    // The bucket's lifecycle never lets anything under this prefix expire.
    const to = options.to ?? s3Place(await stackBucket(stack, '--to'), `${statisticsPrefix}backtest/`);
    const { store } = await openPlace(context, stack, to);
    const { scan, again, rate } = options;
    const result = await archiveScans(
      {
        read: stack.read,
        target: store,
        history: () => historyPages(context, stack, rate),
        signal: context.signal,
        onEvent: ({ scan, outcome, results }) => {
          const event = { event: 'archive-scan', scan, outcome, results };
          context.output.note(event, `${scan}: ${outcome}, ${showCount(results, 'result')}`);
        },
      },
      { scans: scan.length === 0 ? undefined : scan, again },
    );
    if (result.outcome === 'aborted') {
      const next = showCommand(['archive'], { to: options.to?.text, scan, again, rate }, stack.name);
      context.output.error({ error: 'INTERRUPTED', ...result, next }, `Interrupted.\n→ Go on with: ${next}`);
      return exitCodes.interrupted;
    }
    const { archived, unchanged, running, kept } = result.scans;
    context.output.result({ event: 'archived', place: store.place, ...result }, () =>
      [
        `Archived ${showCount(archived, 'scan')} with ${showCount(result.results, 'result')}; ${unchanged} were there already, ${kept} kept, ${running} still running.`,
        store.place,
      ].join('\n'),
    );
    return 0;
  });

/** No access pattern lists scans and none should: their history is small, and only this reads all of it. */
async function* historyPages(context: Context, stack: OpenStack, rate: number | undefined) {
  const tableName = physicalName(scanHistory, stack.config);
  const gate = new CapacityGates(budgetOf(stack, 'read', rate)).of(tableName);
  const client = stack.bulkClient();
  const reader = { store: migrationStore(client), gate, sleep, random: Math.random };
  try {
    const part = { tableName, segment: 0, segments: 1, consistent: true };
    let page = await readTablePage(reader, part, undefined, context.signal);
    while (page !== undefined) {
      yield page.items;
      page = page.next === undefined ? undefined : await readTablePage(reader, part, page.next, context.signal);
    }
  } finally {
    client.destroy();
  }
}

export default archive;
