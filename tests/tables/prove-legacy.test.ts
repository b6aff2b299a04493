import { expect } from 'chai';
import { text } from '../../tables/model/attributes.ts';
import { all, equals } from '../../tables/model/condition.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { ascending, is, type LegacyScan } from '../../tables/model/pattern.ts';
import { patternsOf } from '../../tables/model/project.ts';
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
