import type { Action } from '../context.ts';
import { withStack } from '../open-stack.ts';
import { showSubjectRecord, showSubjectSums, subjectEvent, subjectRecordsOf } from '../transfer/subject-records-of.ts';
import type spec from './subject-show.spec.js';

const subjectShow: Action<typeof spec> = (context, { id, by, rate }) =>
  withStack(context, {}, async (stack) => {
    const records = await subjectRecordsOf(context, stack, id, by, rate);
    for (const record of records) context.output.result(subjectEvent(record), () => showSubjectRecord(record));
    const own = records.filter(({ tie }) => tie.kind === 'own').length;
    context.output.result({ event: 'subject', records: own, mentions: records.length - own }, () => showSubjectSums(records));
    return 0;
  });

export default subjectShow;
