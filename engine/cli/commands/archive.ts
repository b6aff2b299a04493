import type { Archive } from '../../../tables/model/archive.ts';
import { TablewrightError } from '../../../tables/model/error.ts';
import { statisticsPrefix } from '../../../tables/model/stack/config/storage.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { plural } from '../../core/show/numbers.ts';
import { archiveSubjects } from '../../run/archive/archive-subjects.ts';
import type { ReadEnvironment } from '../../run/read/read-pattern.ts';
import { scanPages } from '../../run/store/read-pages.ts';
import { budgetedRead } from '../budget-of.ts';
import type { Action, Context } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { withStack } from '../open-stack.ts';
import { showCommand } from '../show/command-line.ts';
import { openPlace, s3Place } from '../transfer/open-place.ts';
import { stackBucket } from '../transfer/stack-bucket.ts';
import type spec from './archive.spec.js';

const archive: Action<typeof spec> = (context, options) =>
  withStack(context, {}, async (stack) => {
    const own = archiveOf(context);
    // The bucket's lifecycle never lets anything under this prefix expire.
    const to = options.to ?? s3Place(await stackBucket(stack, '--to'), `${statisticsPrefix}${own.name}/`);
    const { store } = await openPlace(context, stack, to);
    const { scan, again, rate } = options;
    const read = budgetedRead(stack, rate);
    const result = await archiveSubjects(
      {
        archive: own,
        read,
        target: store,
        subjects: () => subjectPages(own, read, context.signal),
        signal: context.signal,
        onEvent: ({ subject, outcome, results }) => {
          const event = { event: 'archive-subject', subject, outcome, results };
          context.output.note(event, `${subject}: ${outcome}, ${plural(results, 'result')}`);
        },
      },
      { ids: scan.length === 0 ? undefined : scan, again },
    );
    if (result.outcome === 'interrupted') {
      const next = showCommand(context, ['archive'], { to: options.to?.text, scan, again, rate });
      context.output.error({ error: 'INTERRUPTED', ...result, next }, `Interrupted.\n→ Go on with: ${next}`);
      return exitCodes.interrupted;
    }
    const { archived, unchanged, running, kept } = result.subjects;
    context.output.result({ event: 'archived', place: store.place, ...result }, () =>
      [
        `Archived ${plural(archived, own.subject)} with ${plural(result.results, 'result')}; ${unchanged} were there already, ${kept} kept, ${running} still running.`,
        store.place,
      ].join('\n'),
    );
    return 0;
  });

function archiveOf({ project }: Context): Archive {
  if (project.archive !== undefined) return project.archive;
  throw new TablewrightError('UNKNOWN_NAME', 'this project keeps no archive', {
    next: 'Give defineProject one in tablewright.config.ts, made by defineArchive; docs/transfer.md says what it is.',
  });
}

/** No access pattern lists all subjects and none should: they are few, and only this reads all of them. */
async function* subjectPages({ subjects }: Archive, read: ReadEnvironment, signal: AbortSignal) {
  const request = { TableName: physicalName(subjects.table, read.names), ConsistentRead: true };
  for await (const page of scanPages(read, request, signal)) yield page.items;
}

export default archive;
