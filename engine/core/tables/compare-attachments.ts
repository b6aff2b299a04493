import { contributorInsights } from '../../../tables/model/stack/insights.ts';
import { type Scaling, scalingOf } from '../../../tables/model/stack/scaling.ts';
import { physicalName, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import type { Attachments, FoundInsights, FoundScaling } from './attachments.ts';
import type { TableDifference } from './compare-table.ts';
import { type Remedy, stopsCounting, stopsScaling } from './remedies.ts';

/** What hangs on a table against what the stack's file says; where the server does not say, nothing is different. */
export function compareAttachments(table: Table, config: StackConfig, found: Attachments): readonly TableDifference[] {
  return [
    ...(found.scaling === undefined ? [] : compareScaling(table, config, found.scaling)),
    ...(found.insights === undefined ? [] : compareInsights(table, config, found.insights)),
  ];
}

const nothing = 'none';

function compareScaling(table: Table, config: StackConfig, found: readonly FoundScaling[]): readonly TableDifference[] {
  const wanted = scalingOf(table, config);
  const name = physicalName(table, config);
  const is = (one: Pick<Scaling, 'resourceId' | 'scalableDimension'>) => (other: typeof one) =>
    one.resourceId === other.resourceId && one.scalableDimension === other.scalableDimension;
  const expected = wanted.map((one) => {
    const { minCapacity: min, maxCapacity: max, targetValue: percent } = one;
    const there = found.find(is(one));
    return { what: scaled(one), expected: shown({ min, max, policy: { percent } }), found: shown(there) };
  });
  const leftOver = found
    .filter((one) => !wanted.some(is(one)))
    .map((one) => ({ what: scaled(one), expected: nothing, found: shown(one), remedy: stopsScaling(one, config.region) }));
  return different(name, [...expected, ...leftOver]);
}

function compareInsights(table: Table, config: StackConfig, found: readonly FoundInsights[]): readonly TableDifference[] {
  const wanted = contributorInsights(table, config);
  const name = physicalName(table, config);
  const what = (index: string | undefined) => `Contributor Insights${index === undefined ? '' : ` of index ${index}`}`;
  const expected = wanted.map(({ indexName, mode }) => {
    const there = found.find(({ index }) => index === indexName);
    return { what: what(indexName), expected: insightsWord(mode), found: insightsWord(there?.mode) };
  });
  const leftOver = found
    .filter(({ index }) => !wanted.some(({ indexName }) => indexName === index))
    .map(({ index, mode }) => ({
      what: what(index),
      expected: insightsWord(undefined),
      found: insightsWord(mode),
      remedy: stopsCounting({ table: name, index, region: config.region }),
    }));
  return different(name, [...expected, ...leftOver]);
}

interface Compared {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
  readonly remedy?: Remedy;
}

function different(table: string, compared: readonly Compared[]): readonly TableDifference[] {
  return compared.filter(({ expected, found }) => expected !== found).map((one) => ({ table, ...one }));
}

/** `scaling of reads`, `scaling of writes of index ByOwner`. */
function scaled({ resourceId, scalableDimension }: Pick<Scaling, 'resourceId' | 'scalableDimension'>): string {
  const way = scalableDimension.includes('Read') ? 'reads' : 'writes';
  const [, index] = resourceId.split('/index/');
  return `scaling of ${way}${index === undefined ? '' : ` of index ${index}`}`;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly policy: { readonly percent: number } | undefined;
}

function shown(bounds: Bounds | undefined): string {
  if (bounds === undefined) return nothing;
  const { min, max, policy } = bounds;
  return `${min} to ${max} units${policy === undefined ? ', moved by nothing' : ` at ${policy.percent} %`}`;
}

/** As the stack's file has it. */
function insightsWord(mode: string | undefined): string {
  if (mode === undefined) return 'off';
  return mode === 'THROTTLED_KEYS' ? 'throttled' : 'accessed-and-throttled';
}
