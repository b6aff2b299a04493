import { useState } from 'preact/hooks';
import { plural, showDuration, showNumber } from '../../core/show/numbers.ts';
import { showSecond } from '../../core/show/times.ts';
import type { LiveAnswer, SegmentStrip, StackAnswer, Trouble } from '../wire-types.ts';
import { send, troubleOf } from './api.ts';
import { ThroughputChart } from './chart.tsx';
import { liveNow, liveTrouble, watchedRun } from './live-source.ts';
import { Badge, Panel, Problem } from './parts.tsx';
import { stackFacts } from './stack-facts.ts';

const passNames = { apply: 'backfill', verify: 'verify', rollback: 'rollback' } as const;
/** A runner tells once a second; after this long without a word something is the matter. */
const silentMs = 6_000;

type Run = NonNullable<LiveAnswer['run']>;

/** How far the pass has got, from 0 to 1; a finished migration is all the way. */
function shareOf({ live, segments }: Run, state: string | undefined): number {
  if (state === 'verified') return 1;
  if (live === null || live.expected === 0) {
    return segments.length === 0 ? 0 : segments.filter(({ done }) => done).length / segments.length;
  }
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
  const { live } = run;
  const state = now.states[run.migration];
  const share = shareOf(run, state);
  const percent = share === 1 ? '100' : (Math.floor(share * 1_000) / 10).toFixed(1);
  const isOpen = now.run?.migration === run.migration;
  const silent = isOpen && live !== null && now.lock !== null ? now.nowMs - Date.parse(live.at) : 0;
  const label = `${run.migration}: ${percent} %`;
  return (
    <div class="going">
      <p class="run-title">
        <strong>{run.migration}</strong> {state !== undefined && <Badge state={state} />}{' '}
        {live !== null && isOpen && (
          <span class="quiet">
            {passNames[live.pass]} · {live.step} · {live.table}
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
      <Strip
        segments={run.segments}
        count={live?.segments ?? run.segments.length}
        expected={live?.expected ?? 0}
        finished={state === 'verified'}
      />
      {silent > silentMs && (
        <p class="bad-text" role="alert">
          No word from the runner for {showDuration(silent / 1_000)}. If it was killed, its lease passes by itself
          {now.lock === null ? '' : ` in ${showDuration(Math.max(0, now.lock.leaseUntil - now.nowMs) / 1_000)}`}; “tablewright
          migrate” then goes on where it was.
        </p>
      )}
      {state === 'interrupted' && (
        <p class="warn-text">It was cut off; its checkpoints are stored. “tablewright migrate” goes on.</p>
      )}
      {live !== null && <Figures live={live} dead={run.dead} isOpen={isOpen} isPaused={now.paused !== null} />}
      <ThroughputChart unit={live?.pass === 'verify' ? 'RCU' : 'WCU'} />
      <p class="legend">
        <span class="key accent">{live?.pass === 'verify' ? 'read' : 'write'} units</span>
        <span class="key warn">budget</span>
        <span class="key good">items</span>
      </p>
    </div>
  );
}

interface StripProps {
  readonly segments: readonly SegmentStrip[];
  readonly count: number;
  readonly expected: number;
  readonly finished: boolean;
}

/** Each segment fills with its share of the table; how much that is nobody knows exactly before its end. */
function Strip({ segments, count, expected, finished }: StripProps) {
  const own = expected / Math.max(1, count);
  const all = Array.from({ length: Math.min(count, 256) }, (_, at) => segments.find(({ segment }) => segment === at));
  const done = finished ? count : segments.filter((segment) => segment.done).length;
  return (
    <div class="strip" role="img" aria-label={`${done} of ${plural(count, 'segment')} done`}>
      {all.map((segment, at) => {
        const share = finished || segment?.done ? 1 : own === 0 ? 0 : Math.min(0.97, (segment?.scanned ?? 0) / own);
        return (
          <span
            class={share === 1 ? 'cell done' : 'cell'}
            key={at}
            title={`segment ${at}: ${showNumber(segment?.scanned ?? 0)} items`}
          >
            <span class="fill" style={{ height: `${share * 100}%` }} />
          </span>
        );
      })}
    </div>
  );
}

interface FiguresProps {
  readonly live: NonNullable<Run['live']>;
  readonly dead: number;
  readonly isOpen: boolean;
  readonly isPaused: boolean;
}

function Figures({ live, dead, isOpen, isPaused }: FiguresProps) {
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
