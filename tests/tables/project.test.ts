import { expect } from 'chai';
import { text } from '../../tables/model/attributes.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import { is } from '../../tables/model/pattern.ts';
import { defineProject, type ProjectTables } from '../../tables/model/project.ts';
import { defineTable, type Table } from '../../tables/model/table.ts';

const note = defineEntity({ name: 'NOTE', description: 'A note', attributes: { id: text(), topic: text() } });

interface Named {
  readonly name?: string;
  readonly system?: string;
  readonly namespace?: string;
  readonly index?: string;
}

const table = ({ name = 'notes', system = 'docs', namespace = 'notes', index = 'ByTopic' }: Named): Table =>
  defineTable({
    name,
    system,
    namespace,
    description: 'Notes',
    hash: 'id',
    indexes: { [index]: { hash: 'topic' } },
    entities: [note],
    patterns: {
      byId: { description: 'A note', params: { id: text() }, key: [is('id', '{id}')], result: [note], example: { id: 'n' } },
    },
  });

function problemsOf(tables: ProjectTables, name = 'notes'): readonly string[] {
  try {
    defineProject({ name, tables });
    return [];
  } catch (error) {
    if (!(error instanceof TablewrightError)) throw error;
    return error.problems;
  }
}

describe('a project', () => {
  it('holds with tables of the names that DynamoDB and CloudWatch take', () => {
    const tables = {
      first: table({}),
      second: table({ name: 'Sales.Orders_2026', system: 'other_one-2', namespace: 'other', index: 'By.Topic-1' }),
    };
    expect(problemsOf(tables)).to.deep.equal([]);
  });

  it('says all that is wrong with it at once', () => {
    const tables = {
      first: table({}),
      copied: table({}),
      spoken: table({ name: 'a b', system: 'my shop', namespace: 'c', index: 'B' }),
      own: table({ name: 'mine', system: 'tablewright', namespace: 'd' }),
    };
    expect(problemsOf(tables, 'X')).to.deep.equal([
      'name: expected 3 to 30 of a-z, 0-9 and -, from a letter to a letter or digit, found "X"',
      'tables.copied: its name notes is the name of tables.first already',
      'tables.copied: its pattern notes.byId is one of tables.first already',
      'tables.spoken: name: expected 3 to 255 letters, digits, _, - and ., found "a b"',
      'tables.spoken: index: expected 3 to 255 letters, digits, _, - and ., found "B"',
      'tables.spoken: system: expected 1 to 64 letters, digits, _ and -, found "my shop"',
      "tables.own: system tablewright is the toolkit's own",
    ]);
  });

  it('says which options are misspelt, missing or of another kind: commands load the file without checking its types', () => {
    const given = { nme: 'notes', tables: { note, gone: undefined, notes: table({}) }, migration: 'changes' };
    const all = 'there is no such option; there are name, tables, migrations, seeds, shapes, systems, archive';
    expect(() => defineProject(given as never))
      .to.throw(TablewrightError)
      .with.deep.property('problems', [
        `nme: ${all}`,
        `migration: ${all}`,
        'name: not given',
        'tables.note: expected a table made by defineTable, found an entity',
        'tables.gone: expected a table made by defineTable, found undefined',
      ]);
    expect(() => defineProject({ name: 7 } as never))
      .to.throw(TablewrightError)
      .with.deep.property('problems', [
        'tables: not given',
        'name: expected 3 to 30 of a-z, 0-9 and -, from a letter to a letter or digit, found 7',
      ]);
  });

  it('does not hold where two tables of one namespace have a pattern of one name, of which one would never be read', () => {
    expect(problemsOf({ first: table({}), second: table({ name: 'other' }) })).to.deep.equal([
      'tables.second: its pattern notes.byId is one of tables.first already',
    ]);
  });
});
