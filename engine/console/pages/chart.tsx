import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { livePoints } from './live-source.ts';
import 'uplot/dist/uPlot.min.css';

const height = 190;
const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const darkness = matchMedia('(prefers-color-scheme: dark)');

/** Throughput against the budget since the page is open. */
export function ThroughputChart() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = box.current;
    if (place === null) return undefined;
    const draw = () => new uPlot(optionsOf(place.clientWidth), dataOf(), place);
    let chart = draw();
    // What is painted does not follow the page's colours by itself.
    const repaint = () => {
      chart.destroy();
      chart = draw();
    };
    const resize = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height }));
    resize.observe(place);
    darkness.addEventListener('change', repaint);
    const stop = livePoints.subscribe(() => chart.setData(dataOf()));
    return () => {
      stop();
      darkness.removeEventListener('change', repaint);
      resize.disconnect();
      chart.destroy();
    };
  }, []);
  const last = livePoints.value.at(-1);
  const text =
    last === undefined
      ? 'no figures yet'
      : `${Math.round(last.write)} write units, ${Math.round(last.read)} read units, ${Math.round(last.items)} items a second`;
  return <div class="chart" ref={box} role="img" aria-label={`Throughput: ${text}`} />;
}

function dataOf(): uPlot.AlignedData {
  const points = livePoints.value;
  return [
    points.map(({ atMs }) => atMs / 1_000),
    points.map(({ write }) => write),
    points.map(({ read }) => read),
    points.map(({ budget }) => (budget === 0 ? null : budget)),
    points.map(({ items }) => items),
  ];
}

/** Of the day, UTC as all times of the console. */
const showTime = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 19);

function optionsOf(width: number): uPlot.Options {
  const [text, line] = [colour('--quiet'), colour('--line')];
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, font: '12px system-ui' };
  return {
    width,
    height,
    cursor: { show: false },
    legend: { show: false },
    scales: {
      y: { range: (_, __, max) => [0, Math.max(10, max * 1.1)] },
      items: { range: (_, __, max) => [0, Math.max(10, max * 1.1)] },
    },
    axes: [
      { ...axis, values: (_, times) => times.map(showTime), incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800], space: 80 },
      { ...axis, size: 56, label: 'units/s', labelSize: 16, labelFont: '12px system-ui' },
      {
        ...axis,
        scale: 'items',
        side: 1,
        size: 60,
        grid: { show: false },
        label: 'items/s',
        labelSize: 16,
        labelFont: '12px system-ui',
      },
    ],
    series: [
      {},
      { label: 'write', stroke: colour('--accent'), fill: colour('--accent-soft'), width: 2, points: { show: false } },
      { label: 'read', stroke: colour('--read'), width: 1.5, points: { show: false } },
      { label: 'budget', stroke: colour('--warn'), dash: [6, 4], width: 1.5, points: { show: false } },
      { label: 'items', scale: 'items', stroke: colour('--good'), width: 1.5, points: { show: false } },
    ],
  };
}
