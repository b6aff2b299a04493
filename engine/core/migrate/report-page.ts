import type {
  DeadRecord,
  HistoryRecord,
  Sample,
  SegmentRecord,
  StateRecord,
  StepRecord,
  TimelineRecord,
} from '../../../tables/model/ledger/migration-records.ts';
import { plural, showDuration, showNumber } from '../show/numbers.ts';
import { showSecond } from '../show/times.ts';
import { shownReason } from '../store/throttling.ts';
import type { Counts } from './counts.ts';
import { type ChartOptions, escapeXml, lineChart, narrowChart } from './line-chart.ts';
import { RefusalCounts } from './refusal-counts.ts';

export interface ReportData {
  readonly stack: string;
  readonly state: StateRecord;
  readonly steps: readonly Pick<StepRecord, 'step' | 'name'>[];
  readonly segments: readonly SegmentRecord[];
  readonly timelines: readonly TimelineRecord[];
  readonly history: readonly HistoryRecord[];
  readonly dead: readonly DeadRecord[];
}

const style = `
:root{color-scheme:light dark;--ink:#1d2433;--soft:#667085;--line:#d9dee7;--back:#fff;--panel:#f6f7f9;--good:#17803d;--bad:#b42318;--warn:#b54708}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--soft:#98a2b3;--line:#344054;--back:#12161f;--panel:#1b212d;--good:#4ade80;--bad:#f97066;--warn:#fdb022}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:920px;margin:32px auto;padding:0 20px}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:32px 0 8px}p{margin:4px 0;color:var(--soft)}
.state{font-weight:600}.verified,.applied{color:var(--good)}.failed,.incomplete{color:var(--bad)}.running,.interrupted,.rolled-back,.rolling-back{color:var(--warn)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(120px,1fr));gap:10px;margin:16px 0}
.tile{background:var(--panel);border-radius:8px;padding:10px 12px}.tile b{display:block;font-size:20px}.tile span{color:var(--soft);font-size:13px}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{text-align:left;padding:5px 8px;border-bottom:1px solid var(--line);vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
svg.narrow{display:none}@media(max-width:640px){svg.wide{display:none}svg.narrow{display:block}body{margin:16px auto}.scroll{overflow-x:auto}td code{display:block;min-width:180px}}td.when{white-space:nowrap}
svg{width:100%;height:auto;background:var(--panel);border-radius:8px;margin:6px 0}svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg .title{font-weight:600;font-size:13px}svg .unit,svg .label{fill:var(--soft);font-weight:400}
.grid{stroke:var(--line)}.limit{stroke:var(--bad);stroke-dasharray:6 4;stroke-width:1.5}.mark{stroke:var(--warn);stroke-width:1;stroke-opacity:.7}
.bar{background:var(--line);border-radius:4px;height:10px;min-width:120px}.bar i{display:block;background:#2f6fde;border-radius:4px;height:10px}
code{font:12px ui-monospace,monospace;word-break:break-all}`;

/** A page that needs nothing but itself: no scripts, no network. */
export function reportPage(data: ReportData): string {
  const { state, stack } = data;
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeXml(state.id)}</title><style>${style}</style></head><body>`,
    `<h1>${escapeXml(state.id)}</h1>`,
    `<p>${escapeXml(state.description)}</p>`,
    `<p>Stack ${escapeXml(stack)} · <span class="state ${state.state}">${state.state}</span> · ${escapeXml(state.who)} · ${escapeXml(spanText(state.startedAt, state.finishedAt))}${state.commit === undefined ? '' : ` · commit <code>${escapeXml(state.commit.slice(0, 12))}</code>`}</p>`,
    ...(state.error === undefined
      ? []
      : [`<p class="failed">${escapeXml(state.error.code)}: ${escapeXml(state.error.message)}</p>`]),
    tiles(state),
    ...data.timelines.flatMap((timeline, at) => charts(timeline, runName(data, at))),
    ...refusalTable(data.timelines),
    ...segmentTable(data),
    ...deadTable(data.dead),
    ...historyTable(data.history),
    '</body></html>\n',
  ].join('\n');
}

/** `2026-11-18 02:08:41 UTC, 2 min 1 s`; without an end, that it goes on. */
function spanText(startedAt: string, finishedAt: string | undefined): string {
  const began = `${showSecond(startedAt)} UTC`;
  if (finishedAt === undefined) return `${began}, not ended yet`;
  return `${began}, ${showDuration(Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)}`;
}

function tiles({ counts, units }: StateRecord): string {
  const entries: readonly (readonly [string, number])[] = [
    ['items read', counts.scanned],
    ['changed', counts.changed],
    ['right already', counts.right],
    ['expired', counts.expired],
    ['other entities', counts.foreign],
    ['decided anew', counts.conflicts],
    ['dead letters', counts.dead],
    ['read units', units.read],
    ['write units', units.write],
  ];
  return `<div class="tiles">${entries.map(([name, value]) => `<div class="tile"><b>${showNumber(value)}</b><span>${name}</span></div>`).join('')}</div>`;
}

/** `Run 2`, and when it was undone. */
function runName({ timelines, history }: ReportData, at: number): string {
  const name = timelines.length > 1 ? `Run ${at + 1}` : 'Run';
  const started = timelines[at]?.startedAt ?? '';
  const undone = history.find((event) => event.kind === 'rolled-back' && event.at >= started);
  return undone === undefined ? name : `${name}, undone by the rollback of ${showSecond(undone.at)},`;
}

type Point = readonly [number, number];

/** Points of the drawing; more would only show the limiter at its work. */
const maxPoints = 120;
const minSpacingMs = 1_000;

/** Samples far enough apart for a rate between two of them to mean something. */
function spaced(samples: readonly Sample[]): readonly Sample[] {
  const last = samples.at(-1);
  const spacing = Math.max(minSpacingMs, (last?.ms ?? 0) / maxPoints);
  const kept: Sample[] = [{ ms: 0, scanned: 0, changed: 0, read: 0, write: 0, throttles: 0 }];
  for (const sample of samples) if (sample.ms - (kept.at(-1)?.ms ?? 0) >= spacing) kept.push(sample);
  return kept;
}

function rates(samples: readonly Sample[], of: (sample: Sample) => number): readonly Point[] {
  return samples.slice(1).map((sample, at): Point => {
    const before = samples[at] ?? sample;
    const seconds = (sample.ms - before.ms) / 1_000;
    return [sample.ms / 1_000, Math.max(0, of(sample) - of(before)) / seconds];
  });
}

function charts({ startedAt, samples: all, budget }: TimelineRecord, name: string): readonly string[] {
  const samples = spaced(all);
  const head = [`<h2>${escapeXml(name)} of ${escapeXml(showSecond(startedAt))} UTC</h2>`, ...ownFigures(all)];
  if (samples.length < 3) return [...head, '<p>Too short to draw: it was over within two seconds.</p>'];
  const throttled = samples
    .filter((sample, at) => at > 0 && sample.throttles > (samples[at - 1]?.throttles ?? 0))
    .map(({ ms }) => ms / 1_000);
  const limit = (value: number) => (value === 0 ? {} : { limit: { name: `budget ${showNumber(value)}`, value } });
  const marks = { name: 'throttled', at: throttled };
  return [
    ...head,
    ...drawings({
      title: 'Throughput',
      unit: 'items/s',
      series: [
        { name: 'read', color: '#8a94a6', points: rates(samples, ({ scanned }) => scanned) },
        { name: 'changed', color: '#2f6fde', points: rates(samples, ({ changed }) => changed) },
      ],
      marks,
    }),
    ...drawings({
      title: 'Consumed write units',
      unit: 'WCU/s, index writes included',
      series: [{ name: 'consumed', color: '#0e9384', points: rates(samples, ({ write }) => write) }],
      ...limit(budget.write),
      marks,
    }),
    ...drawings({
      title: 'Consumed read units',
      unit: 'RCU/s',
      series: [{ name: 'consumed', color: '#7a5af8', points: rates(samples, ({ read }) => read) }],
      ...limit(budget.read),
    }),
  ];
}

/** What this run did, apart from others of the same migration. */
function ownFigures(samples: readonly Sample[]): readonly string[] {
  const last = samples.at(-1);
  if (last === undefined) return [];
  const { ms, scanned, changed, read, write, throttles } = last;
  const items = `${plural(scanned, 'item')} read, ${showNumber(changed)} changed in ${showDuration(ms / 1_000)}`;
  return [
    `<p>${items}; ${showNumber(read)} read units, ${showNumber(write)} write units. Throttled batches: ${showNumber(throttles)}.</p>`,
  ];
}

/** For a window and for a telephone; the page shows the one that fits. */
const drawings = (options: ChartOptions): readonly string[] => [lineChart(options), lineChart(options, narrowChart)];

/** What DynamoDB refused, in its own words. */
function refusalTable(timelines: readonly TimelineRecord[]): readonly string[] {
  const all = new RefusalCounts();
  for (const { refusals } of timelines) all.addAll(refusals ?? []);
  if (all.list.length === 0) return [];
  const rows = all.list.map(
    (count) =>
      `<tr><td>${escapeXml(shownReason(count))}</td><td><code>${escapeXml(count.resource ?? '')}</code></td><td class="n">${showNumber(count.batches)}</td></tr>`,
  );
  return [
    '<h2>Refused by DynamoDB</h2>',
    '<div class="scroll"><table><tr><th>why</th><th>table or index</th><th class="n">batches</th></tr>',
    ...rows,
    '</table></div>',
  ];
}

function segmentTable({ segments, steps }: ReportData): readonly string[] {
  if (segments.length === 0) return [];
  const most = Math.max(1, ...segments.map(({ counts }) => counts.scanned));
  const rows = segments.map((segment) => {
    const step = steps.find(({ step: at }) => at === segment.step);
    const share = Math.round((segment.counts.scanned / most) * 100);
    const cells: readonly (keyof Counts)[] = ['scanned', 'changed', 'right', 'dead'];
    return `<tr><td>${escapeXml(step?.name ?? String(segment.step))}</td><td>${segment.pass}</td><td class="n">${segment.segment + 1}</td><td><div class="bar"><i style="width:${share}%"></i></div></td>${cells.map((name) => `<td class="n">${showNumber(segment.counts[name])}</td>`).join('')}<td>${segment.done ? 'done' : 'open'}</td></tr>`;
  });
  return [
    '<h2>Segments</h2>',
    '<div class="scroll"><table><tr><th>step</th><th>pass</th><th class="n">segment</th><th>share</th><th class="n">read</th><th class="n">changed</th><th class="n">right</th><th class="n">dead</th><th></th></tr>',
    ...rows,
    '</table></div>',
  ];
}

function deadTable(dead: readonly DeadRecord[]): readonly string[] {
  if (dead.length === 0) return [];
  const rows = dead.map(
    ({ shownKey, table, reason }) =>
      `<tr><td>${escapeXml(table)}</td><td><code>${escapeXml(shownKey)}</code></td><td>${escapeXml(reason)}</td></tr>`,
  );
  return [
    `<h2>Dead letters</h2>`,
    '<div class="scroll"><table><tr><th>table</th><th>key</th><th>reason</th></tr>',
    ...rows,
    '</table></div>',
  ];
}

function historyTable(history: readonly HistoryRecord[]): readonly string[] {
  const rows = history.map(
    ({ at, kind, who, host, token, detail }) =>
      `<tr><td class="when">${escapeXml(showSecond(at))}</td><td>${kind}</td><td>${escapeXml(`${who}@${host}`)}</td><td class="n">${token}</td><td>${escapeXml(detail)}</td></tr>`,
  );
  return [
    '<h2>History</h2>',
    '<div class="scroll"><table><tr><th>when (UTC)</th><th>what</th><th>who</th><th class="n">token</th><th>detail</th></tr>',
    ...rows,
    '</table></div>',
  ];
}
