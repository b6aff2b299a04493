import { scanHistory } from '../../../tables/backtest/scan-history.ts';
import { statisticsPrefix } from '../../../tables/model/stack/config/storage.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { plural } from '../../core/show/numbers.ts';
import { archiveScans } from '../../run/archive/archive-scans.ts';
import type { ReadEnvironment } from '../../run/read/read-pattern.ts';
import { scanPages } from '../../run/store/read-pages.ts';
import { budgetedRead } from '../budget-of.ts';
import type { Action } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { withStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import { openPlace, s3Place } from '../transfer/open-place.ts';
import { stackBucket } from '../transfer/stack-bucket.ts';
import type spec from './archive.spec.js';

const archive: Action<typeof spec> = (context, options) =>
  withStack(context, {}, async (stack) => {
    // The bucket's lifecycle never lets anything under this prefix expire.
    const to = options.to ?? s3Place(await stackBucket(stack, '--to'), `${statisticsPrefix}backtest/`);
    const { store } = await openPlace(context, stack, to);
    const { scan, again, rate } = options;
    const read = budgetedRead(stack, rate);
    const result = await archiveScans(
      {
        read,
        target: store,
        history: () => historyPages(read, context.signal),
        signal: context.signal,
        onEvent: ({ scan, outcome, results }) => {
          const event = { event: 'archive-scan', scan, outcome, results };
          context.output.note(event, `${scan}: ${outcome}, ${plural(results, 'result')}`);
        },
      },
      { scans: scan.length === 0 ? undefined : scan, again },
    );
    if (result.outcome === 'interrupted') {
      const next = showCommand(context, ['archive'], { to: options.to?.text, scan, again, rate });
      context.output.error({ error: 'INTERRUPTED', ...result, next }, `Interrupted.\n→ Go on with: ${next}`);
      return exitCodes.interrupted;
    }
    const { archived, unchanged, running, kept } = result.scans;
    context.output.result({ event: 'archived', place: store.place, ...result }, () =>
      [
        `Archived ${plural(archived, 'scan')} with ${plural(result.results, 'result')}; ${unchanged} were there already, ${kept} kept, ${running} still running.`,
        store.place,
      ].join('\n'),
    );
    return 0;
  });

/** No access pattern lists scans and none should: their history is small, and only this reads all of it. */
async function* historyPages(read: ReadEnvironment, signal: AbortSignal) {
  const request = { TableName: physicalName(scanHistory, read.names), ConsistentRead: true };
  for await (const page of scanPages(read, request, signal)) yield page.items;
}

export default archive;
