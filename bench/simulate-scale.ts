import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { pricesAsOf, pricesByRegion } from '../tables/model/stack/prices.ts';
import { table } from './load/report.ts';
import { drawScale } from './scale/draw.ts';
import { otherWay } from './scale/other-way.ts';
import { type Plan, type PriceList, planScale, type Quotas, type Work, type Worker } from './scale/plan.ts';

/** From one worker as it was measured to many, on paper; `--picture FILE` draws it. */
const { values: options } = parseArgs({
  options: {
    items: { type: 'string', default: '1000000000' },
    workers: { type: 'string', default: '1,100,1000,10000' },
    /** Of one process where answers take 8 ms, nothing else running (docs/benchmarks.md, "Backfills"). */
    rate: { type: 'string', default: '8567' },
    /** Write units per second of all workers together, as `migrate --rate`. */
    budget: { type: 'string' },
    picture: { type: 'string' },
  },
});

const worker: Worker = { itemsPerSecond: Number(options.rate), memoryGb: 1_769 / 1_024, startSeconds: 5 };
/** Counted (docs/benchmarks.md, "Backfills"): an order and its index entry, journal, checkpoints; two passes of reading. */
const work: Work = {
  items: Number(options.items),
  writeUnitsPerItem: 2.035,
  readUnitsPerItem: 0.109,
  budget: options.budget === undefined ? undefined : Number(options.budget),
};
/** Defaults of an account: Lambda Developer Guide, "Lambda quotas" and "Lambda scaling behavior"; Step Functions Developer Guide, "Service quotas"; DynamoDB Developer Guide, "Service, account, and table quotas". */
const defaults: Quotas = {
  lambdaConcurrency: 1_000,
  lambdaPerTenSeconds: 1_000,
  mapConcurrency: 10_000,
  tableWriteUnits: 40_000,
  partitionWriteUnits: 1_000,
};
/** A million units a second: what has to be asked for. */
const raised: Quotas = { ...defaults, lambdaConcurrency: 10_000, tableWriteUnits: 1_000_000 };
const million = 1_000_000;
const ofRegion = pricesByRegion['us-east-1'];
if (ofRegion === undefined) throw new Error('us-east-1 has no prices');
/** Lambda (arm64) and Step Functions: AWS's price pages for us-east-1, looked up in 2026-11; DynamoDB: tables/model/stack/prices.ts. */
const prices: PriceList = {
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2 / million,
  transition: 0.025 / 1_000,
  writeUnit: ofRegion.writeRequestUnits / million,
  readUnit: ofRegion.readRequestUnits / million,
};

const plans = (quotas: Quotas): readonly Plan[] =>
  options.workers.split(',').map((count) => planScale(Number(count), worker, work, quotas, prices));

function shown(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  return seconds < 7_200 ? `${(seconds / 60).toFixed(0)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

const dollars = (value: number): string => `$${value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en')}`;
const whole = (value: number): string => Math.round(value).toLocaleString('en');

function printed(quotas: Quotas): string {
  const lines = plans(quotas).map((plan) => [
    ...[whole(plan.workers), whole(plan.writeUnitsPerSecond), shown(plan.seconds), plan.binds, whole(plan.partitions)],
    ...[plan.cost.lambda, plan.cost.transitions, plan.cost.units].map(dollars),
  ]);
  const head = ['workers', 'write units/s', 'time', 'what binds', 'partitions', 'Lambda', 'transitions', 'units'];
  return table(head, lines);
}

/** Of an order of the benchmarks, and of a GB that DynamoDB exports (list price of us-east-1). */
const itemBytes = 330;
const exportGb = 0.1;

function besideBulk(): string {
  const price = (value: number | undefined): string => (value === undefined ? 'never' : `$${value.toFixed(2)}`);
  const lines = [1, 0.1, 0.01, 0.001].map((part) => {
    const { share, workers, exported, ifChangedAlone, ifAll } = otherWay(part, work, itemBytes, exportGb, prices);
    return [
      `${share * 100} %`,
      ...[workers, exported].map((value) => `$${value.toFixed(3)}`),
      price(ifChangedAlone),
      price(ifAll),
    ];
  });
  return table(['items that change', 'workers', 'export', 'changed items put', 'all items put'], lines);
}

process.stdout.write(
  [
    `${whole(work.items)} items, ${work.writeUnitsPerItem} write units each; one worker ${whole(worker.itemsPerSecond)} items/s; DynamoDB's prices as of ${pricesAsOf}`,
    'with the quotas that an account begins with',
    printed(defaults),
    'with 10,000 workers at once and a million write units a table',
    printed(raised),
    `per million items of ${itemBytes} bytes: workers, an export; and below which price for a GB a bulk put would be cheaper`,
    besideBulk(),
    '',
  ].join('\n\n'),
);
if (options.picture !== undefined) await writeFile(options.picture, drawScale([...plans(defaults)], [...plans(raised)]));
