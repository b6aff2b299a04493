import { signal } from '@preact/signals';
import { plural, showUnits } from '../../core/show/numbers.ts';
import type { CutoverEntry, ParityAnswer, Trouble } from '../wire-types.ts';
import { send, troubleOf, useAnswer } from './api.ts';
import { Answered, Badge, breakable, Heading, Problem } from './parts.tsx';
import { linkTo } from './route.ts';
import { stackFacts } from './stack-facts.ts';

const states = ['scan', 'shadow', 'query'] as const;
const meanings = {
  scan: 'readers read as before',
  shadow: 'readers read as before, the query is tried beside it',
  query: 'readers query',
} as const;

type Comparison = { readonly busy: true } | { readonly answer: ParityAnswer } | { readonly trouble: Trouble };

/** By pattern; what was found stays while one looks at other pages. */
const comparisons = signal<Readonly<Record<string, Comparison>>>({});

async function compare(pattern: string): Promise<void> {
  const tell = (found: Comparison) => {
    comparisons.value = { ...comparisons.value, [pattern]: found };
  };
  tell({ busy: true });
  await send<ParityAnswer>(`/api/cutover/${encodeURIComponent(pattern)}/check`, { asked: true }).then(
    (answer) => tell({ answer }),
    (error) => tell({ trouble: troubleOf(error) }),
  );
}

/** One after the other: each reads a whole table. */
async function compareAll(patterns: readonly string[]): Promise<void> {
  for (const pattern of patterns) await compare(pattern);
}

/** Every pattern that was once a Scan, or a Query on another index, on its way to the Query. */
export function CutoverPage() {
  const asked = useAnswer<readonly CutoverEntry[]>('/api/cutover');
  return (
    <>
      <Heading title="Cut-over" />
      <Answered asked={asked}>{(found) => <Board found={found} />}</Answered>
    </>
  );
}

function Board({ found }: { readonly found: readonly CutoverEntry[] }) {
  const isLocal = stackFacts.value?.local === true;
  const all = Object.values(comparisons.value);
  const isBusy = all.some((one) => 'busy' in one);
  const holding = all.filter((one) => 'answer' in one && one.answer.report.outcome === 'holds').length;
  return (
    <>
      <div class="tools">
        <button type="button" disabled={isBusy} onClick={() => compareAll(found.map(({ pattern }) => pattern))}>
          {isLocal ? 'Compare all' : 'Compare all (by Scans, paid for)'}
        </button>
        <span class="quiet" role="status">
          {all.length === 0
            ? 'Proves parity again, with cost and latency of both ways.'
            : `Parity holds for ${holding} of ${all.filter((one) => !('busy' in one)).length} compared now.`}
        </span>
      </div>
      <div class="board">
        {states.map((state) => {
          const own = found.filter((entry) => entry.state === state);
          return (
            <section
              class={own.length === 0 ? 'lane empty' : 'lane'}
              aria-label={`${state}: ${plural(own.length, 'pattern')}`}
              key={state}
            >
              <h2>
                {state} <span class="count">{own.length}</span>
              </h2>
              <p class="quiet">{meanings[state]}</p>
              <div class="cards">
                {own.map((entry) => (
                  <Card entry={entry} key={entry.pattern} />
                ))}
              </div>
            </section>
          );
        })}
      </div>
    </>
  );
}

function Card({ entry }: { readonly entry: CutoverEntry }) {
  const { pattern, index, formerIndex, backfill, backfillState, shadow, share, evidence, changedAt } = entry;
  const compared = comparisons.value[pattern];
  const isLocal = stackFacts.value?.local === true;
  const busy = compared !== undefined && 'busy' in compared;
  // What was found now says more than what was found then.
  const isCompared = compared !== undefined && 'answer' in compared;
  const old = formerIndex === null ? 'scan' : 'before';
  return (
    <article class="card">
      <h3>
        <a href={linkTo(['patterns', pattern])}>{breakable(pattern)}</a>
      </h3>
      <p class="quiet">
        {formerIndex === null ? '' : `${formerIndex} → `}
        {index ?? 'the table’s own key'}
        {backfill !== null && ` · backfill ${backfill} (${backfillState ?? 'not run'})`}
        {changedAt !== '' && (
          <>
            , <span class="date">since {changedAt.slice(0, 10)}</span>
          </>
        )}
      </p>
      {evidence !== null && !isCompared && (
        <p>
          Proven for {plural(evidence.values, 'value')}:{' '}
          <Bars old={old} scan={evidence.scanUnits} query={evidence.queryUnits} unit="units" />
          {evidence.scanMs !== undefined && evidence.queryMs !== undefined && (
            <Bars old={old} scan={evidence.scanMs} query={evidence.queryMs} unit="ms" />
          )}
        </p>
      )}
      {shadow !== null && (
        <p>
          {share * 100} % of reads: {plural(shadow.reads, 'read')}, {shadow.differing} differing, {shadow.failures} failed
          <Bars old={old} scan={shadow.scanUnits} query={shadow.queryUnits} unit="units" />
        </p>
      )}
      {isCompared && <Compared answer={compared.answer} old={old} />}
      {compared !== undefined && 'trouble' in compared && <Problem trouble={compared.trouble} />}
      <button type="button" class="second small" disabled={busy} onClick={() => compare(pattern)}>
        {busy ? 'Comparing …' : isLocal ? 'Compare now' : 'Compare now (by Scans, paid for)'}
        <span class="hidden"> {pattern}</span>
      </button>
    </article>
  );
}

function Compared({ answer: { report }, old }: { readonly answer: ParityAnswer; readonly old: string }) {
  return (
    <div class="compared" role="status">
      <p>
        <Badge state={report.outcome} /> {plural(report.values, 'value')}, {plural(report.records, 'record')}
        {report.differences.length > 0 && `, ${plural(report.differences.length, 'difference')}`}
      </p>
      <Bars old={old} scan={report.cost.scan} query={report.cost.query} unit="units" />
      {report.latency !== null && <Bars old={old} scan={report.latency.scan} query={report.latency.query} unit="ms" />}
      {report.differences.slice(0, 5).map(({ kind, key, detail }) => (
        <p class="bad-text" key={key}>
          {kind} {key} {detail}
        </p>
      ))}
    </div>
  );
}

interface BarsProps {
  /** What the way before is called. */
  readonly old: string;
  readonly scan: number;
  readonly query: number;
  readonly unit: string;
}

/** Two amounts beside each other. */
function Bars({ old, scan, query, unit }: BarsProps) {
  const most = Math.max(scan, query, 0.001);
  const bar = (name: string, value: number, kind: string) => (
    <span class="bar-line">
      <span class="bar-name">{name}</span>
      <span class="bar-track" aria-hidden="true">
        <span class={`bar-part ${kind}`} style={{ width: `${(value / most) * 100}%` }} />
      </span>
      <span class="bar-value">
        {showUnits(value)} {unit}
      </span>
    </span>
  );
  return (
    <span class="bars">
      {bar(old, scan, 'old')}
      {bar('query', query, 'new')}
    </span>
  );
}
