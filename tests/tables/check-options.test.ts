import { expect } from 'chai';
import { text } from '../../tables/model/attributes.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { TablewrightError } from '../../tables/model/error.ts';
import { is } from '../../tables/model/pattern.ts';
import { defineTable } from '../../tables/model/table.ts';

const note = defineEntity({ name: 'NOTE', description: 'A note', attributes: { id: text(), topic: text() } });

function failureOf(define: () => unknown): readonly [summary: string | undefined, ...problems: readonly string[]] {
  try {
    define();
  } catch (error) {
    if (!(error instanceof TablewrightError)) throw error;
    expect(error.code).to.equal('BAD_CATALOGUE');
    return [error.message.split('\n')[0], ...error.problems.map((problem) => problem.replace(/; there are .*/, ''))];
  }
  throw new Error('it was taken');
}

describe('a definition that no compiler has seen', () => {
  it('of an entity: options that there are not, and those that are missing, are named together', () => {
    const options = { name: 'NOTE', atributes: { id: text() }, derive: [{ sets: { PK: '{id}' } }, 'PK'], ttl: undefined };
    expect(failureOf(() => defineEntity(options as never))).to.deep.equal([
      'entity NOTE: the definition does not hold',
      'atributes: there is no such option',
      'description: not given',
      'attributes: not given',
      'derive.0.sets: there is no such option',
      'derive.0.set: not given',
      'derive.1: expected an object, found a text',
    ]);
  });

  it('of a table: the same for it, its indexes and its patterns', () => {
    const options = {
      name: 'notes',
      system: 'docs',
      namespace: 'notes',
      description: 'Notes',
      hash: 'id',
      index: {},
      indexes: { ByTopic: { hsh: 'topic' } },
      entities: [note],
      patterns: { byId: { description: 'A note', key: [is('id', '{id}')], result: [note], exmple: { id: 'n' } }, all: null },
    };
    expect(failureOf(() => defineTable(options as never))).to.deep.equal([
      'table notes: the definition does not hold',
      'index: there is no such option',
      'indexes.ByTopic.hsh: there is no such option',
      'indexes.ByTopic.hash: not given',
      'patterns.byId.exmple: there is no such option',
      'patterns.byId.example: not given',
      'patterns.all: expected an object, found null',
    ]);
  });

  it('says of each value what was expected and what kind it is, and never the value', () => {
    const pattern = {
      description: 'A note',
      result: note,
      key: is('id', '{id}'),
      example: { id: 7 },
      order: 'desc',
      params: { id: text },
    };
    const options = {
      name: 'notes',
      system: 'docs',
      namespace: 'notes',
      description: 'Notes',
      hash: 'id',
      indexes: { ByTopic: { hash: 'topic', projection: 'KEYS' } },
      entities: [{}],
      patterns: { byId: pattern },
    };
    expect(failureOf(() => defineTable(options as never)).slice(1)).to.deep.equal([
      'entities.0: expected an entity made by defineEntity, found an object',
      `indexes.ByTopic.projection: expected 'ALL', 'KEYS_ONLY' or { include: […] }, found "KEYS"`,
      'patterns.byId.params.id: expected an attribute kind such as text(), found a function that is not called',
      'patterns.byId.key: expected a list, found an object',
      'patterns.byId.order: expected ascending or descending, found desc',
      'patterns.byId.result: expected a list, found an object',
      'patterns.byId.example.id: expected a text, found a number',
    ]);
    expect(
      failureOf(() => defineTable({ ...options, patterns: [], indexes: 'none', entities: note } as never)).slice(1),
    ).to.deep.equal([
      'indexes: expected an object, found a text',
      'entities: expected a list, found an object',
      'patterns: expected an object, found a list',
    ]);
    const entity = { name: 'NOTE', description: 'A note', attributes: { id: 'text', at: text } };
    expect(failureOf(() => defineEntity(entity as never)).slice(1)).to.deep.equal([
      'attributes.id: expected an attribute kind such as text(), found a text',
      'attributes.at: expected an attribute kind such as text(), found a function that is not called',
    ]);
  });

  it('says which options there are', () => {
    const options = { name: 'NOTE', description: 'A note', attributes: {}, derived: [] };
    expect(() => defineEntity(options as never)).to.throw(
      'derived: there is no such option; there are name, description, attributes, constants, derive, ttl, references, companions, rules, keeper',
    );
  });
});
