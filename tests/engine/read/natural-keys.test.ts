import { PutItemCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import fc from 'fast-check';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { dynamoStore } from '../../../engine/aws/store/dynamo-store.ts';
import { checkCall } from '../../../engine/core/read/checked-call.ts';
import type { CursorPosition } from '../../../engine/core/read/cursor.ts';
import { advance, planRead } from '../../../engine/core/read/plan-read.ts';
import { cursorSeal } from '../../../engine/cursor-seal.ts';
import { openDynamo } from '../../../engine/local/local-engine.ts';
import { sleep } from '../../../engine/run/capacity/clock.ts';
import { ensureTable } from '../../../engine/run/tables/ensure-tables.ts';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { bytes, decimal, text } from '../../../tables/model/attributes.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { compareTexts, present } from '../../../tables/model/condition.ts';
import { compareDecimals } from '../../../tables/model/decimal.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { beginsWith, from, is, type KeyCondition, type Pattern, window } from '../../../tables/model/pattern.ts';
import { proofProblems, prove } from '../../../tables/model/prove.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { defineTable, type Table } from '../../../tables/model/table.ts';
import { failureIn } from '../../support/failure-of.ts';
import { skipWithout } from '../../support/java.ts';
import { testConfig } from '../../support/test-engine.ts';

type Kind = 'S' | 'N' | 'B';

/** Attributes a0…a7 of random types; the index takes some for the partition, some for the order. */
interface Shape {
  readonly kinds: readonly Kind[];
  readonly hashes: number;
  readonly ranges: number;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  kinds: fc.array(fc.constantFrom<Kind>('S', 'N', 'B'), { minLength: 8, maxLength: 8 }),
  hashes: fc.integer({ min: 1, max: 4 }),
  ranges: fc.integer({ min: 0, max: 4 }),
});

// Few values, so that tuples tie and share prefixes; past U+FFFF the order of JavaScript is not that of UTF-8.
const texts = ['a', 'ab', 'b', '\uffff', '\u{1f600}', 'Z'] as const;
const numbers = ['-10', '-2', '0', '0.5', '3', '20'] as const;

// Bytes as hexadecimal digits; past 0x7f a signed order would be another one.
const byteTexts = ['01', '0102', '7f', '80', 'ff', 'ff00'] as const;
const kindValues: Readonly<Record<Kind, readonly string[]>> = { S: texts, N: numbers, B: byteTexts };
const bytesIn = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

const nameOf = (at: number): string => `a${at}`;
const pickOf = (kind: Kind, pick: number): string => kindValues[kind][pick % 6] ?? '';

function tableOf({ kinds, hashes, ranges }: Shape, name: string) {
  const attributes = Object.fromEntries(
    kinds.map((kind, at) => [nameOf(at), { S: text, N: decimal, B: bytes }[kind]().optional()]),
  );
  const entity = defineEntity({ name: 'THING', description: 'A thing', attributes: { id: text(), ...attributes } });
  const table: Table = defineTable({
    name,
    system: 'natural',
    namespace: 'natural',
    description: 'Things',
    hash: 'id',
    indexes: {
      Natural: {
        hash: Array.from({ length: hashes }, (_, at) => nameOf(at)),
        range: Array.from({ length: ranges }, (_, at) => nameOf(4 + at)),
      },
    },
    entities: [entity],
  });
  return { table, entity };
}

/** One draw: which values the partition has, how many range attributes are fixed, and what the next one is asked for. */
interface Ask {
  readonly hash: readonly number[];
  readonly range: readonly number[];
  readonly fixed: number;
  readonly last: 'none' | 'beginsWith' | 'from' | 'window';
  readonly to: number;
  readonly reverse: boolean;
  readonly limit: number;
}

const picks = (most: number) => fc.array(fc.integer({ min: 0, max: 5 }), { minLength: most, maxLength: most });
const ask: fc.Arbitrary<Ask> = fc.record({
  hash: picks(4).map((all) => all.map((one) => one % 2)),
  range: picks(4),
  fixed: fc.integer({ min: 0, max: 4 }),
  last: fc.constantFrom('none', 'beginsWith', 'from', 'window'),
  to: fc.integer({ min: 0, max: 5 }),
  reverse: fc.boolean(),
  limit: fc.integer({ min: 1, max: 5 }),
});

const compare = (kind: Kind, a: string, b: string): number => {
  if (kind === 'B') return Buffer.compare(bytesIn(a), bytesIn(b));
  return kind === 'S' ? compareTexts(a, b) : compareDecimals(a, b);
};

function lastCondition(kind: Kind, name: string, given: Ask, value: string): readonly KeyCondition[] {
  const to = pickOf(kind, given.to);
  const [low, high] = compare(kind, value, to) <= 0 ? [value, to] : [to, value];
  switch (given.last) {
    case 'none':
      return [];
    case 'beginsWith':
      return kind === 'N' ? [from(name, value)] : [beginsWith(name, value)];
    case 'from':
      return [from(name, value)];
    case 'window':
      return [window(name, { from: low, to: high })];
  }
}

/** What is asked, in values; the pattern that asks it, and its parameters. */
interface Asked {
  readonly key: readonly KeyCondition[];
  readonly pattern: Pattern;
  readonly params: Readonly<Record<string, Uint8Array>>;
}

function askedOf({ kinds, hashes, ranges }: Shape, given: Ask): readonly KeyCondition[] {
  const fixed = Math.min(given.fixed, ranges);
  const equal = [
    ...Array.from({ length: hashes }, (_, at) => is(nameOf(at), pickOf(kinds[at] ?? 'S', given.hash[at] ?? 0))),
    ...Array.from({ length: fixed }, (_, at) => is(nameOf(4 + at), pickOf(kinds[4 + at] ?? 'S', given.range[at] ?? 0))),
  ];
  const last =
    fixed < ranges
      ? lastCondition(kinds[4 + fixed] ?? 'S', nameOf(4 + fixed), given, pickOf(kinds[4 + fixed] ?? 'S', given.range[fixed] ?? 0))
      : [];
  // The order of the conditions does not matter.
  return given.reverse ? [...equal, ...last].toReversed() : [...equal, ...last];
}

function patternOf(
  { kinds }: Shape,
  { table, entity }: ReturnType<typeof tableOf>,
  key: readonly KeyCondition[],
  reverse: boolean,
): Asked {
  const params: Record<string, Uint8Array> = {};
  const asked = (condition: KeyCondition): KeyCondition => {
    if (kinds[Number(condition.attribute.slice(1))] !== 'B') return condition;
    const param = (suffix: string, hex: string) => {
      params[`${condition.attribute}${suffix}`] = bytesIn(hex);
      return `{${condition.attribute}${suffix}}`;
    };
    if (condition.op !== 'window') return { ...condition, value: param('', condition.value) };
    return { ...condition, from: param('from', condition.from), to: param('to', condition.to) };
  };
  const conditions = key.map(asked);
  const pattern: Pattern = {
    name: 'natural.asked',
    table: table.name,
    description: 'What was drawn',
    params: Object.fromEntries(Object.keys(params).map((name) => [name, bytes()])),
    index: 'Natural',
    key: conditions,
    ...(reverse ? { order: 'descending' as const } : {}),
    result: [entity],
    example: {},
  };
  return { key, pattern, params };
}

const plain = (value: AttributeValue | undefined): string | undefined => {
  if (value === undefined) return undefined;
  if ('B' in value) return Buffer.from(value.B).toString('hex');
  return 'S' in value ? value.S : 'N' in value ? value.N : undefined;
};

function meets(kind: Kind, condition: KeyCondition, value: string): boolean {
  switch (condition.op) {
    case 'equals':
      return compare(kind, value, condition.value) === 0;
    case 'beginsWith':
      return value.startsWith(condition.value);
    case 'atLeast':
      return compare(kind, value, condition.value) >= 0;
    case 'window':
      return compare(kind, value, condition.from) >= 0 && compare(kind, value, condition.to) <= 0;
    default:
      throw new Error(condition.op);
  }
}

/** What the index should answer, by its definition alone. */
function expected({ kinds, hashes, ranges }: Shape, key: Asked['key'], items: readonly Item[]): readonly Item[] {
  const keys = [...Array.from({ length: hashes }, (_, at) => at), ...Array.from({ length: ranges }, (_, at) => 4 + at)];
  return items.filter(
    (item) =>
      keys.every((at) => item[nameOf(at)] !== undefined) &&
      key.every((condition) => {
        const at = Number(condition.attribute.slice(1));
        return meets(kinds[at] ?? 'S', condition, plain(item[condition.attribute]) ?? '');
      }),
  );
}

function tupleOrder({ kinds, ranges }: Shape, a: Item, b: Item): number {
  for (let at = 4; at < 4 + ranges; at += 1) {
    const order = compare(kinds[at] ?? 'S', plain(a[nameOf(at)]) ?? '', plain(b[nameOf(at)]) ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** As an application gets a cursor and gives it back. */
const seal = cursorSeal('a secret of the test');
const binding = { stack: 'test', pattern: 'natural.asked', params: {}, reverse: false };
const sealed = (position: CursorPosition): CursorPosition => seal.open(binding, seal.seal(binding, position));

/** A legal question with one slip in it, and the rule that it breaks. */
interface Slip {
  readonly key: readonly KeyCondition[];
  /** An attribute of the key that the filter names. */
  readonly filtered?: string;
  readonly rule: RegExp;
}

/** Every slip that the shape of the index has room for. */
function slipsOf({ kinds, hashes, ranges }: Shape, { range, hash }: Ask): readonly Slip[] {
  const drawnAt = (at: number) => pickOf(kinds[at] ?? 'S', (at < 4 ? hash[at] : range[at - 4]) ?? 0);
  const equal = (at: number) => is(nameOf(at), drawnAt(at));
  const atLeast = (at: number) => from(nameOf(at), drawnAt(at));
  const whole = Array.from({ length: hashes }, (_, at) => equal(at));
  const others = whole.slice(1);
  const [first, second] = [4, 5];
  const slips: Slip[] = [
    { key: others, rule: /^the hash key a0 .* needs exactly one condition, found 0/ },
    { key: [...whole, equal(0)], rule: /^the hash key a0 .* needs exactly one condition, found 2/ },
    { key: [atLeast(0), ...others], rule: /^the hash key a0 .* takes equality only, found atLeast/ },
    { key: [...whole, is('id', 'i1')], rule: /^id is no key of/ },
    { key: whole, filtered: 'a0', rule: /^the filter names the key attribute a0/ },
  ];
  if (ranges > 0) {
    slips.push({ key: [...whole, equal(first), atLeast(first)], rule: /^the range key a4 .* takes one condition, found 2/ });
    if (kinds[first] === 'N') slips.push({ key: [...whole, beginsWith('a4', '1')], rule: /^beginsWith on a4 is illegal/ });
  }
  if (ranges > 1) {
    const rule = /^the range key a5 .* has a condition, but a4 before it has none by equality/;
    slips.push({ key: [...whole, equal(second)], rule }, { key: [...whole, atLeast(first), equal(second)], rule });
  }
  return slips;
}

/** What would be sent without a look at the rules. */
function bareRequest(TableName: string, { kinds }: Shape, { key, filtered }: Slip): QueryCommandInput {
  const values: Record<string, AttributeValue> = {};
  const texts = key.map((condition, at) => {
    if (condition.op === 'window') throw new Error('no slip has a window');
    const kind = kinds[Number(condition.attribute.slice(1))] ?? 'S';
    values[`:v${at}`] =
      kind === 'B' ? { B: bytesIn(condition.value) } : kind === 'N' ? { N: condition.value } : { S: condition.value };
    if (condition.op === 'beginsWith') return `begins_with(${condition.attribute}, :v${at})`;
    return `${condition.attribute} ${condition.op === 'equals' ? '=' : '>='} :v${at}`;
  });
  return {
    TableName,
    IndexName: 'Natural',
    KeyConditionExpression: texts.join(' AND '),
    ...(filtered === undefined ? {} : { FilterExpression: `attribute_exists(${filtered})` }),
    ExpressionAttributeValues: values,
  };
}

const queriesPerTable = 50;
const tablesDrawn = 40;
const itemsPerTable = 60;

describe('index keys of several attributes on Amazon’s engine', () => {
  describe('beside Amazon’s engine', () => {
    const engine = 'dynamodb-local';
    skipWithout(engine);

    it(`${tablesDrawn * queriesPerTable} random queries find every record once, in the order of the tuples; slips are refused by their rule`, async function () {
      this.timeout(480_000);
      const service = await openDynamo({ data: { kind: 'memory' }, engine });
      const client = dynamoClient({ region: testConfig.region, endpoint: service.endpoint });
      const store = dynamoStore(client);
      let [found, slips] = [0, 0];
      try {
        const shapes = fc.sample(shape, tablesDrawn);
        for (const [number, drawn] of shapes.entries()) {
          const made = tableOf(drawn, `natural-${number}`);
          expect(prove([made.table])).to.deep.equal([]);
          await ensureTable({ store, config: testConfig, sleep }, made.table);
          const rows = fc.sample(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 8, maxLength: 8 }), itemsPerTable);
          const items = rows.map((row, id) => {
            // Any attribute may be left out, one in thirteen is; partitions are few, so that they fill.
            const values = row.flatMap((pick, at) =>
              pick === 12 ? [] : [[nameOf(at), pickOf(drawn.kinds[at] ?? 'S', at < 4 ? pick % 2 : pick)]],
            );
            const stored = values.map(([name = '', value = '']) => [
              name,
              drawn.kinds[Number(name.slice(1))] === 'B' ? bytesIn(value) : value,
            ]);
            return buildItem(made.table, made.entity, { id: `i${id}`, ...Object.fromEntries(stored) });
          });
          for (const item of items) {
            await client.send(new PutItemCommand({ TableName: physicalName(made.table, testConfig), Item: item }));
          }
          for (const given of fc.sample(ask, queriesPerTable)) {
            const { pattern, params, key } = patternOf(drawn, made, askedOf(drawn, given), given.reverse);
            expect(proofProblems(made.table, pattern)).to.deep.equal([]);
            const call = checkCall([made.table], pattern, params);
            const answer: Item[] = [];
            let position: Parameters<typeof planRead>[2] = { limit: given.limit };
            for (;;) {
              const plan = planRead(call, testConfig, position);
              if (plan.kind !== 'query') throw new Error(plan.kind);
              const step = advance(plan, await store.query(plan.request));
              answer.push(...step.items);
              if (step.position === undefined) break;
              position = { limit: given.limit, from: sealed(step.position) };
            }
            const wanted = expected(drawn, key, items).map(canonicalItem).toSorted();
            expect(answer.map(canonicalItem).toSorted(), JSON.stringify({ drawn, given })).to.deep.equal(wanted);
            const direction = given.reverse ? -1 : 1;
            for (let at = 1; at < answer.length; at += 1) {
              const order = tupleOrder(drawn, answer[at - 1] ?? {}, answer[at] ?? {}) * direction;
              expect(order, JSON.stringify({ drawn, given })).to.be.at.most(0);
            }
            found += wanted.length;
          }
          for (const slip of fc.sample(ask, 1).flatMap((given) => slipsOf(drawn, given))) {
            const { key, filtered, rule } = slip;
            const { pattern: asked, params } = patternOf(drawn, made, key, false);
            const pattern = filtered === undefined ? asked : { ...asked, filter: present(filtered) };
            const what = JSON.stringify({ drawn, key });
            expect(proofProblems(made.table, pattern)[0], what).to.match(rule);
            const refusal = failureIn(() => planRead(checkCall([made.table], pattern, params), testConfig));
            expect(refusal.code, what).to.equal('BAD_CATALOGUE');
            expect(refusal.problems[0], what).to.match(rule);
            // What is refused here is what the engine refuses.
            const bare = bareRequest(physicalName(made.table, testConfig), drawn, slip);
            const sent = client.send(new QueryCommand(bare)).then(
              () => 'taken',
              (error: Error) => error.name,
            );
            expect(await sent, what).to.equal('ValidationException');
            slips += 1;
          }
        }
        expect(found).to.be.above(2_000);
        expect(slips).to.be.at.least(tablesDrawn * 5);
      } finally {
        client.destroy();
        await service.release();
      }
    });
  });
});
