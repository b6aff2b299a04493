import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { livePoints } from './live-source.ts';
import 'uplot/dist/uPlot.min.css';

const height = 190;
const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Throughput against the budget since the page is open. */
export function ThroughputChart({ unit }: { readonly unit: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = box.current;
    if (place === null) return undefined;
    const chart = new uPlot(optionsOf(place.clientWidth, unit), dataOf(), place);
    const resize = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height }));
    resize.observe(place);
    const stop = livePoints.subscribe(() => chart.setData(dataOf()));
    return () => {
      stop();
      resize.disconnect();
      chart.destroy();
    };
  }, [unit]);
  const last = livePoints.value.at(-1);
  const text =
    last === undefined
      ? 'no figures yet'
      : `${Math.round(last.units)} ${unit} a second, ${Math.round(last.items)} items a second`;
  return <div class="chart" ref={box} role="img" aria-label={`Throughput: ${text}`} />;
}

function dataOf(): uPlot.AlignedData {
  const points = livePoints.value;
  const budget = points.map((point) => (point.budget === 0 ? null : point.budget));
  return [points.map(({ atMs }) => atMs / 1_000), points.map(({ units }) => units), budget, points.map(({ items }) => items)];
}

/** Of the day, UTC as all times of the console. */
const showTime = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 19);

function optionsOf(width: number, unit: string): uPlot.Options {
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
      { ...axis, size: 56, label: `${unit}/s`, labelSize: 16, labelFont: '12px system-ui' },
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
      { label: unit, stroke: colour('--accent'), fill: colour('--accent-soft'), width: 2, points: { show: false } },
      { label: 'budget', stroke: colour('--warn'), dash: [6, 4], width: 1.5, points: { show: false } },
      { label: 'items', scale: 'items', stroke: colour('--good'), width: 1.5, points: { show: false } },
    ],
  };
}
