import { expect } from 'chai';
import { text } from '../../tables/model/attributes.ts';
import { all, equals } from '../../tables/model/condition.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import {
  ascending,
  beginsWith,
  is,
  type KeyCondition,
  type LegacyQuery,
  type LegacyScan,
  type PatternOptions,
} from '../../tables/model/pattern.ts';
import { patternsOf } from '../../tables/model/project.ts';
import { prove } from '../../tables/model/prove.ts';
import { legacyProblems } from '../../tables/model/prove-legacy.ts';
import { defineTable } from '../../tables/model/table.ts';
import { tables } from '../support/project.ts';

const note = defineEntity({
  name: 'NOTE',
  description: 'A note',
  attributes: { id: text(), topic: text(), written: text() },
  derive: [{ set: { gsi1pk: '{topic}', gsi1sk: '{written}' } }],
});

/** The problems of the old form of one pattern. */
function problemsOf(legacy: LegacyScan, index: 'by_topic' | 'none' = 'by_topic'): readonly string[] {
  const table = defineTable({
    name: 'notes',
    system: 'notes',
    namespace: 'notes',
    description: 'Notes',
    hash: 'id',
    indexes: { by_topic: { hash: 'gsi1pk', range: 'gsi1sk' } },
    entities: [note],
    patterns: {
      asked: {
        description: 'Notes',
        params: { topic: text() },
        ...(index === 'none' ? {} : { index }),
        key: [is(index === 'none' ? 'id' : 'gsi1pk', '{topic}')],
        result: [note],
        example: {},
        legacy,
      },
    },
  });
  return legacyProblems(table, table.patterns.asked);
}

describe('the old form of a pattern', () => {
  it('is sound for every pattern of the catalogue that has one', () => {
    const problems = tables.flatMap((table) => patternsOf([table]).flatMap((pattern) => legacyProblems(table, pattern)));
    expect(problems).to.deep.equal([]);
  });

  it('goes by plain attributes, for every value, with the client’s sort and its backfill', () => {
    const sound = { filter: equals('topic', '{topic}'), sort: ascending('written'), backfill: '0001-x' };
    expect(problemsOf(sound)).to.deep.equal([]);
    expect(problemsOf({ ...sound, filter: all(equals('topic', '{topic}'), equals('gsi1sk', 'x')) })).to.deep.equal([
      'legacy names gsi1sk, which older records may not have; name plain attributes only',
    ]);
    expect(problemsOf({ ...sound, filter: equals('topic', 'fixed') })).to.deep.equal([
      'legacy does not compare parameter topic by equality, so its values cannot be listed',
    ]);
    const { sort: _, ...unsorted } = sound;
    expect(problemsOf(unsorted)).to.deep.equal(['legacy has no sort, but the query answers by gsi1sk']);
    const { backfill: __, ...unfilled } = sound;
    expect(problemsOf(unfilled)).to.deep.equal(['legacy names no backfill for index by_topic']);
    expect(problemsOf({ filter: equals('id', '{topic}'), backfill: '0001-x' }, 'none')).to.deep.equal([
      'legacy names a backfill, but no index is read',
    ]);
  });
});

describe('an old form that is a Query on another index', () => {
  const madeUp = { index: 'by_made', key: [is('gsi1pk', '{topic}')] };
  const problems = (legacy: LegacyQuery, options: Partial<PatternOptions> = {}): readonly string[] => {
    const table = defineTable({
      name: 'notes',
      system: 'notes',
      namespace: 'notes',
      description: 'Notes',
      hash: 'id',
      indexes: {
        by_made: { hash: 'gsi1pk', range: 'gsi1sk' },
        by_topic: { hash: 'topic', range: 'written' },
        keys_only: { hash: 'topic', range: 'id', projection: 'KEYS_ONLY' },
      },
      entities: [note],
      patterns: {
        asked: {
          description: 'Notes',
          params: { topic: text() },
          index: 'by_topic',
          key: [is('topic', '{topic}')] as readonly KeyCondition[],
          result: [note],
          example: { topic: 'a' },
          legacy,
          ...options,
        } as PatternOptions,
      },
    });
    return prove([table]).map((line) => line.replace('notes.asked: ', ''));
  };

  it('is proven like any Query, beside the pattern itself', () => {
    expect(problems(madeUp)).to.deep.equal([]);
    expect(problems({ ...madeUp, key: [beginsWith('gsi1pk', '{topic}')] })[0]).to.equal(
      'legacy: the hash key gsi1pk of notes.by_made takes equality only, found beginsWith; it would need a Scan. Missing: an index on notes with hash an attribute that holds one value for all wanted records.',
    );
    expect(problems({ index: 'gone', key: madeUp.key }).some((line) => line.includes('index gone does not exist'))).to.equal(
      true,
    );
  });

  it('names another index, holds whole records, and tells every parameter by its key', () => {
    expect(problems({ index: 'by_topic', key: [is('topic', '{topic}')] })).to.deep.equal([
      'legacy names the index by_topic, which the pattern itself is read by',
    ]);
    expect(problems({ index: 'keys_only', key: [is('topic', '{topic}')], hydrate: true })).to.deep.equal([]);
    const params = { topic: text(), day: text() };
    const open = { params, key: [is('topic', '{topic}'), beginsWith('written', '{day}')], example: { topic: 'a', day: 'b' } };
    expect(problems({ ...madeUp, key: [is('gsi1pk', '{topic}'), beginsWith('gsi1sk', '{day}')] }, open)).to.deep.equal([
      "the pattern does not tell parameter day by a record's key, so its values cannot be listed",
      "legacy does not tell parameter day by a record's key, so its values cannot be listed",
    ]);
  });

  it('needs a backfill where the new key is a made-up one', () => {
    const back = { index: 'by_topic', key: [is('topic', '{topic}')] };
    const options = { index: 'by_made', key: [is('gsi1pk', '{topic}')] };
    expect(problems(back, options)).to.deep.equal(['legacy names no backfill for gsi1pk, gsi1sk of index by_made']);
    expect(problems({ ...back, backfill: '0001-fill' }, options)).to.deep.equal([]);
  });
});
