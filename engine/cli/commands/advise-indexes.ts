import type { Item } from '../../../tables/model/attribute-value.ts';
import { keyTypesOf } from '../../../tables/model/key-types.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import {
  type KeyAttribute,
  type KeyLists,
  keyNames,
  listKeyNames,
  showKeyNames,
  type Table,
} from '../../../tables/model/table.ts';
import { plural, showCost, showNumber, showUnits } from '../../core/show/numbers.ts';
import { adviseIndex, type IndexAdvice, sparseRecords } from '../../core/tables/advise-index.ts';
import { keyFaults } from '../../core/tables/index-check.ts';
import { type IndexSavings, savingsOf } from '../../core/tables/index-savings.ts';
import { sampleItems } from '../../run/begin/sample-items.ts';
import { budgetedRead } from '../budget-of.ts';
import type { Action, Context } from '../context.ts';
import { type OpenStack, withStack } from '../open-stack.ts';
import { findTable } from '../transfer/find-table.ts';
import type spec from './advise-indexes.spec.js';

/** Records that are measured of each table unless told otherwise. */
const usualSample = 200;

interface Advised extends KeyLists {
  readonly table: string;
  readonly index: string;
  readonly advice: IndexAdvice;
  readonly savings?: IndexSavings;
  /** Of the measured records: those that DynamoDB would refuse every write of, for what they have in these attributes. */
  readonly refused?: number;
  /** Of some records: how many more a natural index would hold than one that a condition keeps sparse. */
  readonly sparse?: { readonly sampled: number; readonly more: number };
}

const adviseIndexes: Action<typeof spec> = (context, given) =>
  withStack(context, {}, async (stack) => {
    const chosen = given.table === undefined ? stack.tables : [findTable(stack, given.table).table];
    const advised: Advised[] = [];
    for (const table of chosen) advised.push(...(await adviseTable(context, stack, table, given)));
    context.output.result({ stack: stack.name, indexes: advised }, () => describe(advised));
    return 0;
  });

async function adviseTable(
  { signal }: Context,
  stack: OpenStack,
  table: Table,
  { sample = usualSample, readRate }: { readonly sample?: number | undefined; readonly readRate?: number | undefined },
): Promise<readonly Advised[]> {
  const advice = table.indexes.map((index) => ({ index, advice: adviseIndex(table, index) }));
  const tableName = physicalName(table, stack.config);
  let items: readonly Item[] | undefined;
  const measured = async (): Promise<readonly Item[]> => {
    items ??= (await sampleItems(budgetedRead(stack, readRate), tableName, sample, signal)).items.slice(0, sample);
    return items;
  };
  const region = stack.config.priceRegion ?? stack.config.region;
  const advised: Advised[] = [];
  for (const { index, advice: found } of advice) {
    const base = { table: tableName, index: index.name, ...listKeyNames(index), advice: found };
    if (found.verdict === 'could be natural') {
      const records = await measured();
      // One that its backfill has not come to stands in the natural one all the same.
      const keys = [keyNames(index), [...found.hash, ...found.range]];
      const standing = records.filter((item) => keys.some((names) => names.every((name) => Object.hasOwn(item, name))));
      const moved = { ...found, lacks: lackOf(found), looked: records.length };
      const natural = { hash: typedKeys(table, found.hash), range: typedKeys(table, found.range) };
      const refused = standing.filter((item) => keyFaults(natural, item).length > 0).length;
      advised.push({ ...base, savings: savingsOf(table, moved, standing, region), refused });
    } else if (found.verdict === 'stays' && found.reasons.some(({ reason }) => reason === 'sparse rule')) {
      const records = await measured();
      advised.push({ ...base, sparse: { sampled: records.length, more: sparseRecords(table, index, records) } });
    } else advised.push(base);
  }
  return advised;
}

const typedKeys = ({ entities, ttl }: Table, names: readonly string[]): readonly KeyAttribute[] =>
  names.map((name) => ({ name, type: keyTypesOf(entities, name, ttl)[0]?.type ?? 'S' }));

/** What a record lacks that stands in the index now and could not in the natural one: a constant, or what its key alone tells. */
function lackOf({ hash, range }: Possible) {
  return (item: Item): readonly string[] => [...hash, ...range].filter((name) => !Object.hasOwn(item, name));
}

function describe(advised: readonly Advised[]): string {
  const possible = advised.filter(({ advice }) => advice.verdict === 'could be natural').length;
  const natural = advised.filter(({ advice }) => advice.verdict === 'natural').length;
  return [
    ...advised.flatMap(describeOne),
    `${showNumber(advised.length)} indexes: ${showNumber(possible)} could stand on natural attributes, ${showNumber(natural)} do already, ${showNumber(advised.length - possible - natural)} stay as they are.`,
    ...(possible === 0
      ? []
      : ["One that is in use is moved under another name, both side by side: docs/indexes.md, 'Moving there'."]),
  ].join('\n');
}

function describeOne({ table, index, advice, savings, sparse, refused, ...key }: Advised): readonly string[] {
  const head = `${table} ${index} (${showKeyNames(key)})`;
  switch (advice.verdict) {
    case 'natural':
      return [`${head}: natural already.`, ''];
    case 'stays':
      return [
        `${head}: stays.`,
        ...advice.reasons.map(({ reason, why }) => `  ${reason}: ${why}`),
        ...describeSparse(sparse),
        '',
      ];
    case 'could be natural':
      return [
        `${head}: could be natural.`,
        `  ${advice.code}`,
        ...describeSavings(advice, savings),
        ...describeRefused(refused, savings),
        '',
      ];
  }
}

function describeSparse(sparse: Advised['sparse']): readonly string[] {
  if (sparse === undefined || sparse.sampled === 0) return [];
  return [`  Of ${plural(sparse.sampled, 'record')} a natural index would hold ${showNumber(sparse.more)} more than this one.`];
}

function describeRefused(refused: number | undefined, savings: IndexSavings | undefined): readonly string[] {
  if (refused === undefined || refused === 0) return [];
  const found = `${showNumber(refused)} of ${plural(savings?.sampled ?? 0, 'record')}`;
  return [`  ${found} could not be written any more once it is there: repair them first ('tablewright check index').`];
}

type Possible = Extract<IndexAdvice, { verdict: 'could be natural' }>;

function describeSavings({ spared }: Possible, savings: IndexSavings | undefined): readonly string[] {
  const without = spared.length === 0 ? 'no attribute can go, others use it' : `without ${spared.join(', ')}`;
  if (savings === undefined || savings.looked === 0) return [`  ${without}; there are no records to measure yet.`];
  if (savings.sampled === 0)
    return [`  ${without}; of ${plural(savings.looked, 'record')} none stands in it, so nothing was measured.`];
  const { bytesPerItem, unitsPerItem, unitsPerMillion, storagePerMillion, moving, movingCost, sampled, lacking } = savings;
  const lacked = savings.lacked.join(', ');
  const stored = storagePerMillion === undefined ? '' : ` and ${showCost(storagePerMillion)} of storage a month`;
  const cost = movingCost === undefined ? '' : `, ${showCost(movingCost)} on demand`;
  const backfill = lacking === 0 ? '' : `, ${showNumber(Math.round(moving.backfill))} to fill in ${lacked}`;
  return [
    `  ${without}: ${showNumber(Math.round(bytesPerItem))} bytes and ${showUnits(unitsPerItem)} write units a record less; a million new records save ${showNumber(Math.round(unitsPerMillion))} write units${stored} (by ${showNumber(sampled)} records).`,
    `  Moving a million: ${showNumber(Math.round(moving.fill))} write units to fill the index, ${showNumber(Math.round(moving.remove))} to take the attributes out${backfill}; ${showNumber(Math.round(moving.read))} read units${cost}.`,
    ...(lacking === 0
      ? []
      : [
          `  ${showNumber(lacking)} of ${plural(sampled, 'record')} lack ${lacked}: moving takes a backfill, too, so staying may be the better answer.`,
        ]),
  ];
}

export default adviseIndexes;
