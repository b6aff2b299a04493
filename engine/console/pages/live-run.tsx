import { useState } from 'preact/hooks';
import { plural, showDuration, showNumber } from '../../core/show/numbers.ts';
import { showSecond } from '../../core/show/times.ts';
import type { LiveAnswer, StackAnswer, Trouble } from '../wire-types.ts';
import { send, troubleOf } from './api.ts';
import { ThroughputChart } from './chart.tsx';
import { liveNow, liveTrouble, watchedRun } from './live-source.ts';
import { Badge, Panel, Problem } from './parts.tsx';
import { linkTo } from './route.ts';
import { stackFacts } from './stack-facts.ts';

const passNames = { apply: 'backfill', verify: 'verify', rollback: 'rollback' } as const;
/** A runner tells once a second, workers store a checkpoint every few; after this long without a word something is the matter. */
const silentMs = { runner: 6_000, workers: 60_000 } as const;

type Run = NonNullable<LiveAnswer['run']>;

/** How far the pass has got, from 0 to 1; a finished migration is all the way. */
function shareOf({ live, strip }: Run, state: string | undefined): number {
  if (state === 'verified') return 1;
  if (live === null || live.expected === 0) return strip.segments === 0 ? 0 : strip.done / strip.segments;
  return Math.min(live.segmentsDone === live.segments ? 1 : 0.999, live.counts.scanned / live.expected);
}

export function LivePanel() {
  const now = liveNow.value;
  const run = watchedRun.value;
  const stack = stackFacts.value;
  if (liveTrouble.value !== undefined && now === undefined) return <Problem trouble={liveTrouble.value} />;
  if (now === undefined || stack === undefined) return <p class="quiet">Looking at the ledger …</p>;
  return (
    <Panel title="Now" wide aside={<Steer now={now} stack={stack} />}>
      {liveTrouble.value !== undefined && <Problem trouble={liveTrouble.value} />}
      <Who now={now} />
      {run !== undefined && <Going run={run} now={now} />}
    </Panel>
  );
}

function Who({ now: { lock, paused } }: { readonly now: LiveAnswer }) {
  return (
    <p>
      {lock === null
        ? 'Nobody runs migrations at this moment.'
        : `${lock.holder} holds the lock (${lock.doing}) since ${showSecond(lock.since)}.`}
      {lock?.waiting !== undefined && ` Holding still: ${lock.waiting}.`}
      {paused !== null && (
        <>
          {' '}
          <span class="badge warn">paused</span> by {paused.by} at {showSecond(paused.at)}
        </>
      )}
    </p>
  );
}

function Going({ run, now }: { readonly run: Run; readonly now: LiveAnswer }) {
  const { live, workers } = run;
  const state = now.states[run.migration];
  const share = shareOf(run, state);
  const percent = share === 1 ? '100' : (Math.floor(share * 1_000) / 10).toFixed(1);
  const isOpen = now.run?.migration === run.migration;
  const silent = isOpen && live !== null && now.lock !== null ? now.nowMs - Date.parse(live.at) : 0;
  const isSilent = silent > (workers === null ? silentMs.runner : silentMs.workers);
  const label = `${run.migration}: ${percent} %`;
  return (
    <div class="going">
      <p class="run-title">
        <strong>{run.migration}</strong> {state !== undefined && <Badge state={state} />}{' '}
        {live !== null && isOpen && (
          <span class="quiet">
            {[passNames[live.pass], live.step, live.table, ...(workers === null ? [] : [plural(workers, 'worker')])].join(' · ')}
          </span>
        )}
      </p>
      <div
        class="progress"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
      >
        <div class={now.paused === null ? 'bar-fill' : 'bar-fill still'} style={{ width: `${share * 100}%` }} />
        <span class="percent">{percent} %</span>
      </div>
      <Strip strip={run.strip} finished={state === 'verified'} />
      {isSilent && (
        <p class="bad-text" role="alert">
          No word from the {workers === null ? 'runner' : 'workers'} for {showDuration(silent / 1_000)}. If it was killed, its
          lease passes by itself
          {now.lock === null ? '' : ` in ${showDuration(Math.max(0, now.lock.leaseUntil - now.nowMs) / 1_000)}`}; “tablewright
          migrate” then goes on where it was.
        </p>
      )}
      {state === 'interrupted' && <p class="warn-text">{endedText(now, workers)}</p>}
      {live !== null && <Figures live={live} run={run} isOpen={isOpen} isPaused={now.paused !== null} />}
      <LatestDead run={run} />
      <ThroughputChart />
      <p class="legend">
        <span class="key accent">write units</span>
        <span class="key read">read units</span>
        <span class="key warn">budget</span>
        <span class="key good">items</span>
      </p>
    </div>
  );
}

/** Nobody is paid for waiting: an execution by workers ends where a run of one process waits. */
function endedText({ paused }: LiveAnswer, workers: number | null): string {
  if (paused === null) return 'It was cut off; its checkpoints are stored. “tablewright migrate” goes on.';
  const who = workers === null ? 'It' : 'The execution';
  return `${who} has stored its checkpoints and ended. After Resume, the command that began it goes on.`;
}

function Strip({ strip: { segments, done, fields }, finished }: { readonly strip: Run['strip']; readonly finished: boolean }) {
  const label = `${finished ? segments : done} of ${plural(segments, 'segment')} done`;
  return (
    <div class="strip" role="img" aria-label={label}>
      {fields.map(({ first, last, scanned, share: own }) => {
        const share = finished ? 1 : own;
        const name = first === last ? `segment ${first + 1}` : `segments ${first + 1} to ${last + 1}`;
        return (
          <span class={share === 1 ? 'cell done' : 'cell'} key={first} title={`${name}: ${plural(scanned, 'item')}`}>
            <span class="fill" style={{ height: `${share * 100}%` }} />
          </span>
        );
      })}
    </div>
  );
}

/** Why items were given up, the last first; all are on the migration's own page. */
function LatestDead({ run: { migration, dead, latestDead } }: { readonly run: Run }) {
  if (dead === 0) return null;
  return (
    <div class="note">
      <p>
        {plural(dead, 'dead letter')}
        {dead > latestDead.length ? `, the last ${latestDead.length}` : ''} (
        <a href={linkTo(['migrations', migration])}>all of them</a>):
      </p>
      <ul class="reasons">
        {latestDead.map(({ shownKey, reason }) => (
          <li key={shownKey}>
            <span class="mono">{shownKey}</span> {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface FiguresProps {
  readonly live: NonNullable<Run['live']>;
  readonly run: Pick<Run, 'dead' | 'workers'>;
  readonly isOpen: boolean;
  readonly isPaused: boolean;
}

function Figures({ live, run: { dead }, isOpen, isPaused }: FiguresProps) {
  const { counts, expected, itemsPerSecond, unitsPerSecond, budget, throttles, pass, slow, heldBy } = live;
  const kind = pass === 'verify' ? 'read' : 'write';
  const left = expected - counts.scanned;
  const isMoving = isOpen && !isPaused;
  const eta = isMoving && itemsPerSecond > 0 && left > 0 ? showDuration(Math.ceil(left / itemsPerSecond)) : '–';
  const figures: readonly (readonly [string, string])[] = [
    ['items', `${showNumber(counts.scanned)}${expected > counts.scanned ? ` of about ${showNumber(expected)}` : ''}`],
    ['changed', showNumber(counts.changed)],
    ['items/s', isMoving ? showNumber(Math.round(itemsPerSecond)) : '–'],
    [
      `${kind} units/s`,
      `${isMoving ? showNumber(Math.round(unitsPerSecond[kind])) : '–'}${budget[kind] > 0 ? ` of ${showNumber(budget[kind])}` : ', no budget'}`,
    ],
    ['throttles', showNumber(throttles)],
    ['conflicts', showNumber(counts.conflicts)],
    ['dead letters', showNumber(dead)],
    ['left', eta],
  ];
  return (
    <>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isMoving && slow !== undefined && <p class="note">{slow.text}</p>}
      {isMoving && heldBy !== undefined && <p class="note">Holding still: {heldBy}</p>}
    </>
  );
}

/** Pause and resume; on a production stack its name is typed first, as on the command line. */
function Steer({ now, stack }: { readonly now: LiveAnswer; readonly stack: StackAnswer }) {
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState('');
  const [trouble, setTrouble] = useState<Trouble>();
  if (!stack.writes) return <span class="quiet">read-only: this is production</span>;
  // There is nobody to hold still; 'tablewright pause' can be told before a run all the same.
  if (now.lock === null && now.paused === null) return null;
  const what = now.paused === null ? 'pause' : 'resume';
  const steer = async () => {
    setBusy(true);
    setTrouble(undefined);
    await send(`/api/${what}`, { confirm: typed }).catch((error) => setTrouble(troubleOf(error)));
    setTyped('');
    setBusy(false);
  };
  return (
    <form
      class="steer"
      onSubmit={(event) => {
        event.preventDefault();
        void steer();
      }}
    >
      {stack.confirm && (
        <label>
          Type {stack.configured}{' '}
          <input
            type="text"
            value={typed}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      )}
      <button type="submit" class={what === 'pause' ? 'second' : undefined} disabled={busy}>
        {what === 'pause' ? 'Pause' : 'Resume'}
      </button>
      {trouble !== undefined && <Problem trouble={trouble} />}
    </form>
  );
}
