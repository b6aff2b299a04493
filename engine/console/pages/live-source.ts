import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LiveAnswer, Trouble } from '../wire-types.ts';

/** The last word of the ledger. */
export const liveNow = signal<LiveAnswer | undefined>(undefined);
export const liveTrouble = signal<Trouble | undefined>(undefined);

/** The run that was watched last, also after its end. */
export const watchedRun = signal<NonNullable<LiveAnswer['run']> | undefined>(undefined);

export interface LivePoint {
  readonly atMs: number;
  readonly write: number;
  readonly read: number;
  /** Of what the pass is held to: units written by a backfill, units read by a verify pass. */
  readonly budget: number;
  readonly items: number;
}

/** Of the migration that runs, over its passes, since the page is open. */
export const livePoints = signal<readonly LivePoint[]>([]);

const maxPoints = 900;

const unanswered: Trouble = {
  error: 'NO_ANSWER',
  message: 'The console does not answer; it is asked again.',
  problems: [],
  next: 'Is the command that serves it still running?',
};
const refused: Trouble = {
  error: 'NO_SESSION',
  message: 'This browser has no session of this console any more: it was started anew.',
  problems: [],
  next: 'Open the link that the command printed.',
};

/** Listens as long as the page that uses it is there. */
export function useLive(): void {
  useEffect(() => {
    const source = new EventSource('/api/live');
    source.addEventListener('live', (event) => take(JSON.parse(event.data) as LiveAnswer));
    source.addEventListener('trouble', (event) => {
      liveTrouble.value = JSON.parse(event.data) as Trouble;
    });
    source.onerror = () => {
      // Browsers ask again when nobody answers, and no more when somebody refuses.
      liveTrouble.value = source.readyState === EventSource.CLOSED ? refused : unanswered;
    };
    return () => source.close();
  }, []);
}

function take(now: LiveAnswer): void {
  liveTrouble.value = undefined;
  liveNow.value = now;
  const watched = watchedRun.value;
  if (watched !== undefined && now.run?.migration !== watched.migration) watchedRun.value = ended(watched, now);
  if (now.run === null) return;
  if (now.run.migration !== watchedRun.value?.migration) livePoints.value = [];
  watchedRun.value = now.run;
  const { live } = now.run;
  const last = livePoints.value.at(-1);
  if (live === null) return;
  const atMs = Date.parse(live.at);
  if (last !== undefined && atMs <= last.atMs) return;
  const kind = live.pass === 'verify' ? 'read' : 'write';
  const point = { atMs, ...live.unitsPerSecond, budget: live.budget[kind], items: live.itemsPerSecond };
  livePoints.value = [...livePoints.value.slice(-maxPoints), point];
}

/** A runner's last word comes before its end: the record of what has ended has the counts. */
function ended(run: NonNullable<LiveAnswer['run']>, { counts }: LiveAnswer): NonNullable<LiveAnswer['run']> {
  const whole = counts[run.migration];
  if (run.live === null || whole === undefined) return run;
  return { ...run, live: { ...run.live, counts: whole, expected: whole.scanned } };
}
