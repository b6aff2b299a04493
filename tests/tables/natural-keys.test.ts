import { expect } from 'chai';
import { z } from 'zod';
import { checkCall } from '../../engine/core/read/checked-call.ts';
import { planRead } from '../../engine/core/read/plan-read.ts';
import { bytes, decimal, epochSeconds, flag, integer, text } from '../../tables/model/attributes.ts';
import { equals } from '../../tables/model/condition.ts';
import { defineEntity, type Entity } from '../../tables/model/entity.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import { keyProblems } from '../../tables/model/item.ts';
import { beginsWith, from, is, type KeyCondition, type PatternOptions, window } from '../../tables/model/pattern.ts';
import { prove } from '../../tables/model/prove.ts';
import { defineTable, type Index, type KeyOption } from '../../tables/model/table.ts';
import { failureIn } from '../support/failure-of.ts';
import { testConfig } from '../support/test-engine.ts';

const match = defineEntity({
  name: 'MATCH',
  description: 'A match of a tournament',
  attributes: {
    id: text(),
    tournament: text(),
    region: text(),
    round: text(),
    bracket: integer(),
    at: epochSeconds(),
    score: decimal().optional(),
    raw: bytes().optional(),
    live: flag().optional(),
    players: z.array(text()).optional(),
  },
});

const common = {
  name: 'matches',
  system: 'games',
  namespace: 'games',
  description: 'Matches',
  hash: 'id',
  entities: [match],
} as const;
const asked = { description: 'Matches', result: [match], example: {} } as const;
const byRound = { hash: ['tournament', 'region'], range: ['round', 'bracket', 'at'] } as const;

/** Problems of a pattern whose names the compiler does not know. */
function problemsOf(key: readonly KeyCondition[], params: PatternOptions['params'] = {}): readonly string[] {
  const patterns: Record<string, PatternOptions> = { asked: { ...asked, index: 'ByRound', key, params } };
  return prove([defineTable({ ...common, indexes: { ByRound: byRound }, patterns })]);
}

const whole = [is('tournament', 't'), is('region', 'r')];

function indexOf(hash: KeyOption | readonly KeyOption[], range?: KeyOption | readonly KeyOption[]): Index {
  const options = range === undefined ? { hash } : { hash, range };
  const [index] = defineTable({ ...common, indexes: { ByRound: options } }).indexes;
  if (index === undefined) throw new Error('no index');
  return index;
}

describe('keys by name', () => {
  it('have the type that the entities give them', () => {
    expect(indexOf('tournament', 'at')).to.deep.include({
      hash: [{ name: 'tournament', type: 'S' }],
      range: [{ name: 'at', type: 'N' }],
    });
    expect(indexOf('raw', 'score')).to.deep.include({
      hash: [{ name: 'raw', type: 'B' }],
      range: [{ name: 'score', type: 'N' }],
    });
    expect(indexOf(['tournament', 'bracket'], ['round', 'at']).range).to.deep.equal([
      { name: 'round', type: 'S' },
      { name: 'at', type: 'N' },
    ]);
  });

  it('of another type than the entity writes, or of a kind that is none, are errors of the definition', () => {
    const problems = (indexes: Readonly<Record<string, { readonly hash: KeyOption; readonly range?: KeyOption }>>) =>
      prove([defineTable({ ...common, indexes })]);
    expect(problems({ X: { hash: 'tournament', range: { name: 'at', type: 'S' } } })).to.deep.equal([
      'matches: the key at has type S, but MATCH writes type N (number)',
    ]);
    expect(problems({ X: { hash: 'live' } })).to.deep.equal([
      'matches: the key live has type S, but MATCH writes a flag, which cannot be a key',
    ]);
    expect(problems({ X: { hash: 'players' } })).to.deep.equal([
      'matches: the key players has type S, but MATCH writes a list, which cannot be a key',
    ]);
  });

  it('that two entities store differently are named with both', () => {
    const other = defineEntity({ name: 'OTHER', description: 'Another', attributes: { id: text(), at: text(), kind: text() } });
    const entities: readonly Entity[] = [match, other];
    const table = defineTable({ ...common, entities, indexes: { X: { hash: 'tournament', range: 'at' } } });
    expect(prove([table]).filter((problem) => problem.includes('key at'))).to.deep.equal([
      'matches: the key at has type N, but OTHER writes type S (text)',
    ]);
  });

  it('of a kind or type that the compiler knows to be wrong do not compile', () => {
    const other = defineEntity({ name: 'OTHER', description: 'Another', attributes: { id: text(), at: text(), kind: text() } });
    const define = () => [
      // @ts-expect-error a flag is no key
      defineTable({ ...common, indexes: { X: { hash: 'live' } } }),
      // @ts-expect-error nor is a list, also among others
      defineTable({ ...common, indexes: { X: { hash: ['tournament', 'players'] } } }),
      // @ts-expect-error at is a number
      defineTable({ ...common, indexes: { X: { hash: 'tournament', range: { name: 'at', type: 'S' } } } }),
      // @ts-expect-error one entity has a number there, the other a text
      defineTable({ ...common, entities: [match, other], indexes: { X: { hash: 'tournament', range: 'at' } } }),
      // @ts-expect-error the table's own key
      defineTable({ ...common, hash: 'live' }),
      // @ts-expect-error tables keep one attribute each
      defineTable({ ...common, hash: ['id', 'tournament'] }),
    ];
    expect(define).to.be.a('function');
    const right = defineTable({
      ...common,
      indexes: { X: { hash: ['tournament', { name: 'region', type: 'S' }], range: ['score', 'raw', { name: 'at', type: 'N' }] } },
    });
    expect(prove([right])).to.deep.equal([]);
  });

  it('that no entity has are not found in what every object has', () => {
    const patterns: Record<string, PatternOptions> = {
      made: { ...asked, index: 'Made', params: { by: text() }, key: [is('constructor', '{by}')] },
    };
    expect(prove([defineTable({ ...common, indexes: { Made: { hash: 'constructor' } }, patterns })])).to.deep.equal([
      'games.made: MATCH never has constructor, so it never stands in Made',
    ]);
  });

  it('are of 20 indexes at most', () => {
    const indexes = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`X${at}`, { hash: 'tournament' }]));
    expect(prove([defineTable({ ...common, indexes })])).to.deep.equal([
      'matches: the table has 21 indexes, DynamoDB takes at most 20',
    ]);
  });

  it('are at most four for each purpose, each once', () => {
    const table = defineTable({
      ...common,
      indexes: { X: { hash: ['tournament', 'region', 'round', 'bracket', 'at'], range: ['score', 'score'] }, Y: { hash: [] } },
    });
    expect(prove([table])).to.deep.equal([
      'matches: index X has 5 hash attributes, DynamoDB takes at most 4',
      'matches: index X names score more than once in its key',
      'matches: index Y has no hash attribute',
    ]);
  });

  it('share the length of their purpose', () => {
    const table = defineTable({ ...common, indexes: { ByRound: byRound } });
    const item = {
      id: { S: '1' },
      tournament: { S: 'x'.repeat(1_500) },
      region: { S: 'y'.repeat(600) },
      round: { S: 'z'.repeat(1_025) },
    };
    expect(keyProblems(table, item)).to.deep.equal([
      'round: 1025 bytes, a key holds at most 1024',
      'tournament, region: 2100 bytes together, the hash key of index ByRound holds at most 2048',
      'round, bracket, at: 1025 bytes together, the range key of index ByRound holds at most 1024',
    ]);
  });
});

describe('conditions on keys of several attributes', () => {
  it('that DynamoDB takes are proven', () => {
    for (const more of [
      [],
      [is('round', 'x')],
      [beginsWith('round', 'x')],
      [is('round', 'x'), from('bracket', '1')],
      [window('at', { from: '1', to: '2' }), is('bracket', '3'), is('round', 'x')],
    ]) {
      expect(problemsOf([...more, ...whole]), JSON.stringify(more)).to.deep.equal([]);
    }
  });

  it('that it refuses are refused before, by the rule', () => {
    const where = 'games.asked: the range key';
    expect(problemsOf([is('tournament', 't'), is('round', 'x')])[0]).to.match(
      /^games\.asked: the hash key region of matches\.ByRound needs exactly one condition, found 0; it would need a Scan/,
    );
    expect(problemsOf([from('tournament', 't'), is('region', 'r')])[0]).to.match(/takes equality only, found atLeast/);
    expect(problemsOf([...whole, is('score', '1')])[0]).to.contain(
      'score is no key of matches.ByRound, whose key is tournament + region / round + bracket + at;',
    );
    expect(problemsOf([...whole, is('bracket', '1')])).to.deep.equal([
      `${where} bracket of matches.ByRound has a condition, but round before it has none by equality`,
    ]);
    expect(problemsOf([...whole, from('round', 'x'), is('bracket', '1')])).to.deep.equal([
      `${where} bracket of matches.ByRound has a condition, but round before it has none by equality`,
    ]);
    expect(problemsOf([...whole, is('round', 'x'), is('round', 'y')])).to.deep.equal([
      `${where} round of matches.ByRound takes one condition, found 2`,
    ]);
    expect(problemsOf([...whole, is('round', 'x'), beginsWith('bracket', '1')])).to.deep.equal([
      'games.asked: beginsWith on bracket is illegal: the range key is a number',
    ]);
    expect(problemsOf([...whole, is('round', '{round}'), is('bracket', '1')], { round: text().optional() })).to.deep.equal([
      `${where} bracket of matches.ByRound is always given, but round before it may be left out`,
    ]);
  });

  it('have a value for every attribute of the partition, and no value that a key never has', () => {
    const optional = { region: text().optional() };
    expect(problemsOf([is('tournament', 't'), is('region', '{region}')], optional)).to.deep.equal([
      'games.asked: the key region of matches.ByRound is always asked for, but region may be left out',
    ]);
    // Filled in where it is left out, it always has one.
    expect(problemsOf([is('tournament', 't'), is('region', '{region}')], { region: text().default('north') })).to.deep.equal([]);
    const byId: Record<string, PatternOptions> = {
      one: { ...asked, key: [is('id', '{id}')], params: { id: text().optional() } },
    };
    expect(prove([defineTable({ ...common, patterns: byId })])).to.deep.equal([
      'games.one: the key id of matches is always asked for, but id may be left out',
    ]);
    expect(problemsOf([is('tournament', ''), is('region', 'r')])).to.deep.equal([
      'games.asked: tournament is compared with an empty text, which no key is',
    ]);
    const numbers = { n: integer() };
    for (const [value, params] of [
      ['{n}', numbers],
      ['-2.5', {}],
    ] as const) {
      expect(problemsOf([...whole, is('round', 'x'), is('bracket', value)], params), value).to.deep.equal([]);
    }
    expect(problemsOf([...whole, is('round', 'x'), from('bracket', 'B#{n}')], numbers)).to.deep.equal([
      'games.asked: bracket is a number, which B#{n} never is',
    ]);
    expect(problemsOf([...whole, is('round', 'x'), window('bracket', { from: '1', to: 'last' })])).to.deep.equal([
      'games.asked: bracket is a number, which last never is',
    ]);
  });

  it('do not compile where the names alone tell', () => {
    const indexes = { ByRound: byRound };
    const one = { ...asked, index: 'ByRound' } as const;
    const define = () => [
      defineTable({
        ...common,
        indexes,
        // @ts-expect-error region has no condition
        patterns: { x: { ...one, key: [is('tournament', 't')] } },
      }),
      defineTable({
        ...common,
        indexes,
        // @ts-expect-error nothing has one
        patterns: { x: { ...one, key: [] } },
      }),
      defineTable({
        ...common,
        indexes,
        // @ts-expect-error round is skipped
        patterns: { x: { ...one, key: [is('tournament', 't'), is('region', 'r'), is('bracket', '1')] } },
      }),
      defineTable({
        ...common,
        indexes,
        patterns: {
          // @ts-expect-error a range over round, which is not the last one given
          x: { ...one, key: [is('tournament', 't'), is('region', 'r'), from('round', 'x'), is('bracket', '1')] },
        },
      }),
      defineTable({
        ...common,
        indexes,
        // @ts-expect-error score is no key of the index
        patterns: { x: { ...one, key: [is('tournament', 't'), is('region', 'r'), is('score', '1')] } },
      }),
      defineTable({
        ...common,
        indexes,
        // @ts-expect-error tournament by order, which is of the partition
        patterns: { x: { ...one, key: [from('tournament', 't'), is('region', 'r')] } },
      }),
      defineTable({
        ...common,
        indexes: { ...indexes, ByRegion: { hash: 'region' } },
        patterns: {
          x: {
            ...one,
            key: [is('tournament', 't'), is('region', 'r')],
            // @ts-expect-error the Query before is a Query too, and lacks region
            legacy: { index: 'ByRegion', key: [is('tournament', 't')] },
          },
        },
      }),
      defineTable({
        ...common,
        indexes,
        patterns: { x: { ...one, key: [is('region', 'r'), is('tournament', 't'), is('round', 'x'), from('bracket', '1')] } },
      }),
    ];
    expect(define().map((table) => prove([table]).length > 0)).to.deep.equal([true, true, true, true, true, true, true, false]);
  });

  it('whose parameter is left out fall away from the right; a hole is a wrong parameter', () => {
    const table = defineTable({
      ...common,
      indexes: { ByRound: byRound },
      patterns: {
        ofRound: {
          ...asked,
          params: { round: text().optional(), bracket: integer().optional() },
          index: 'ByRound',
          key: [...([is('tournament', 't'), is('region', 'r')] as const), is('round', '{round}'), is('bracket', '{bracket}')],
        },
      },
    });
    expect(prove([table])).to.deep.equal([]);
    const requestOf = (params: Readonly<Record<string, unknown>>) => {
      const plan = planRead(checkCall([table], table.patterns.ofRound, params), testConfig);
      return plan.kind === 'query' ? plan.request.KeyConditionExpression : plan.kind;
    };
    expect(requestOf({})).to.equal('#n0 = :v0 AND #n1 = :v1');
    expect(requestOf({ round: 'x', bracket: 2 })).to.equal('#n0 = :v0 AND #n1 = :v1 AND #n2 = :v2 AND #n3 = :v3');
    const filtered = { ...table.patterns.ofRound, filter: equals('round', 'x') };
    expect(failureIn(() => planRead(checkCall([table], filtered, {}), testConfig)).problems).to.deep.equal([
      'the filter names the key attribute round; make it a key condition',
    ]);
    const low = { ...table.patterns.ofRound, params: { low: integer(), high: integer() } };
    const between = {
      ...low,
      key: [is('tournament', 't'), is('region', 'r'), is('round', 'x'), window('bracket', { from: '{low}', to: '{high}' })],
    };
    expect(failureIn(() => planRead(checkCall([table], between, { low: 3, high: 2 }), testConfig)).message).to.equal(
      'low 3 lies after high 2',
    );
    const worded = { ...table.patterns.ofRound, params: { round: text(), bracket: text() } };
    expect(failureIn(() => planRead(checkCall([table], worded, { round: 'x', bracket: 'two' }), testConfig)).message).to.equal(
      'games.ofRound: bracket is a number, found "two": not a decimal number',
    );
    expect(() => requestOf({ bracket: 2 }))
      .to.throw(TablewrightError, 'games.ofRound: bracket is given, but round before it is not')
      .with.property('code', 'BAD_PARAMETER');
  });
});
