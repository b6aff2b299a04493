import {
  isListening,
  streamRetentionSeconds,
  type TableListeners,
  type Trigger,
  viewForMarks,
} from '../../core/migrate/listeners.ts';
import { plural, showNumber } from '../../core/show/numbers.ts';
import type { StepPlan } from '../../run/migrate/plan.ts';

/** Who hears of what a step writes, and how often. */
export function renderListeners({ listeners, writes, mark, consumers, etaSeconds }: StepPlan): readonly string[] {
  if (listeners === undefined || writes === 0) return [];
  const { stream, kinesis, replicas, triggers, unseen } = listeners;
  const events = plural(writes, 'event');
  const toTriggers = (source: string) => triggers.filter((one) => one.source === source).map((one) => shownTrigger(one, writes));
  const line = (what: string, source: string) => [`${what}: ${events}`, ...toTriggers(source)].join(', to ');
  return [
    ...(stream === undefined ? [] : [line(`stream ${stream.view}`, stream.arn)]),
    ...kinesis.map((arn) => line(`Kinesis ${arn.replace(/^.*:stream\//, '')}`, arn)),
    ...(replicas.length === 0 ? [] : [`replicas in ${replicas.join(', ')}: ${plural(writes, 'write')} each, paid for there`]),
    ...unseen.map((one) => `? ${one}`),
    ...(mark === undefined ? [] : markLines(mark, listeners)),
    ...(consumers === undefined ? [] : pausedLines(listeners, etaSeconds)),
  ];
}

function shownTrigger({ functionName, state, batchSize }: Trigger, writes: number): string {
  if (!isListening({ state })) return `${functionName} (off)`;
  return batchSize === undefined ? functionName : `${functionName} (some ${showNumber(Math.ceil(writes / batchSize))} calls)`;
}

function markLines(mark: string, { stream }: TableListeners): readonly string[] {
  const marked = `its writes are marked by ${mark}`;
  if (stream === undefined || stream.view === viewForMarks) return [marked];
  return [marked, `! of ${stream.view} consumers cannot tell a new mark from one that was there; that takes ${viewForMarks}`];
}

function pausedLines({ triggers, stream }: TableListeners, etaSeconds: number): readonly string[] {
  const on = triggers.filter(isListening).map(({ functionName }) => functionName);
  const state = on.length === 0 ? 'no trigger is on' : `${on.join(', ')} ${on.length === 1 ? 'is' : 'are'} on`;
  const tooLong = stream !== undefined && etaSeconds > streamRetentionSeconds;
  return [
    `its consumers have to be paused: ${state}`,
    ...(tooLong ? ['! it takes longer than the 24 h that a stream keeps its records: paused consumers would lose some'] : []),
  ];
}
