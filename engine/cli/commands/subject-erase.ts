import { randomBytes } from 'node:crypto';
import { TablewrightError } from '../../../tables/model/error.ts';
import { plural } from '../../core/show/numbers.ts';
import { CapacityGates } from '../../run/capacity/capacity-gate.ts';
import { type Erased, eraseSubject } from '../../run/transfer/subject/erase-subject.ts';
import type { SubjectRecord } from '../../run/transfer/subject/find-subject.ts';
import { budgetOf } from '../budget-of.ts';
import { confirmDeletion } from '../confirm-deletion.ts';
import { confirmProduction } from '../confirm-production.ts';
import type { Action, Context, Given } from '../context.ts';
import { exitCodes } from '../exit-codes.js';
import { actorOf } from '../migrate/migrate-environment.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { sleep } from '../read-environment.ts';
import { showCommand } from '../show/command-line.ts';
import { showProgress } from '../show/progress.ts';
import { ledgerOn } from '../transfer/ledger-records-of.ts';
import { showSubjectRecord, showSubjectSums, subjectEvent, subjectRecordsOf } from '../transfer/subject-records-of.ts';
import type spec from './subject-erase.spec.js';

type Asked = Given<typeof spec>;

const subjectErase: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    const records = await subjectRecordsOf(context, stack, given.id, given.by, given.readRate);
    const own = records.filter(({ tie }) => tie.kind === 'own');
    const mentions = records.filter(({ tie }) => tie.kind === 'mention');
    for (const record of records) context.output.note(subjectEvent(record), showSubjectRecord(record));
    context.output.note({ event: 'subject-found', records: own.length, mentions: mentions.length }, showSubjectSums(records));
    if (own.length === 0) {
      context.output.result({ event: 'subject-erased', removed: {}, mentions: mentions.length }, () => 'Nothing was removed.');
      return 0;
    }
    refuseSeveral(own, given);
    const what = `${plural(own.length, 'record')} of stack ${stack.name} will be removed for good.`;
    if (stack.config.production)
      await confirmProduction(context, stack.config, given.yes, `remove ${plural(own.length, 'record')}`);
    else await confirmDeletion(context, given.yes, what);
    return report(context, given, mentions.length, await erase(context, stack, given, own));
  });

/** One ID in two roles is perhaps two people: somebody has to say which is meant. */
function refuseSeveral(own: readonly SubjectRecord[], { id, by }: Asked): void {
  const roles = new Set(own.map(({ tie }) => (tie.kind === 'own' ? tie.by[0] : undefined)));
  if (by !== undefined || roles.size < 2) return;
  throw new TablewrightError('BAD_ARGUMENT', `${id} stands in several attributes: ${[...roles].join(', ')}`, {
    next: 'Nothing was removed. Say with --by which of them tells the person.',
  });
}

async function erase(context: Context, stack: OpenStack, { rate }: Asked, own: readonly SubjectRecord[]): Promise<Erased> {
  const progress = showProgress(context.output);
  try {
    return await eraseSubject(
      {
        store: stack.store,
        ledger: ledgerOn(context, stack),
        writeGates: new CapacityGates(budgetOf(stack, 'write', rate)),
        sleep,
        random: Math.random,
        stopping: context.signal,
        signal: context.signal,
        nowMs: Date.now,
        id: randomBytes(4).toString('hex'),
        by: actorOf(context.root).who,
        onRemoved: (done) => progress.update({ label: 'remove', done, total: own.length }),
      },
      own,
    );
  } finally {
    progress.stop();
  }
}

function report(context: Context, given: Asked, mentions: number, { outcome, id, removed, left }: Erased): number {
  const total = Object.values(removed).reduce((sum, count) => sum + count, 0);
  if (outcome === 'interrupted') {
    const next = showCommand(context, ['subject', 'erase', given.id], {
      by: given.by,
      rate: given.rate,
      readRate: given.readRate,
    });
    const text = `Interrupted; ${plural(total, 'record')} removed.\n→ Go on with: ${next}`;
    context.output.error({ error: 'INTERRUPTED', id, removed, next }, text);
    return exitCodes.interrupted;
  }
  context.output.result({ event: 'subject-erased', id, removed, left, mentions }, () =>
    [
      `Removed ${plural(total, 'record')} (erasure ${id} in the ledger).`,
      ...Object.entries(removed).map(([name, count]) => `  ${name}: ${count}`),
      ...(left > 0 ? [`  ${plural(left, 'record')} changed hands or went meanwhile and were left alone`] : []),
      ...(mentions > 0 ? [`  ${plural(mentions, 'mention')} in other records stay; see 'tablewright subject show'`] : []),
      'Backups, exports, archives, dead letters, point-in-time recovery, and journals and seed records of the ledger may still hold them.',
    ].join('\n'),
  );
  return 0;
}

export default subjectErase;
