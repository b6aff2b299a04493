import { expect } from 'chai';
import { text } from '../../tables/model/attributes.ts';
import { equals } from '../../tables/model/condition.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { beginsWith, is, type KeyCondition, type PatternOptions, window } from '../../tables/model/pattern.ts';
import { proofProblems, prove } from '../../tables/model/prove.ts';
import { defineTable, type Projection } from '../../tables/model/table.ts';
import { tables } from '../support/project.ts';

const note = defineEntity({
  name: 'NOTE',
  description: 'A note',
  attributes: { author: text(), id: text(), topic: text().optional(), body: text() },
  constants: { kind: 'NOTE' },
  derive: [{ set: { PK: 'AUTHOR#{author}', SK: 'NOTE#{id}' } }, { set: { GSI1_PK: 'TOPIC#{topic}', GSI1_SK: '{id}' } }],
});

const reply = defineEntity({
  name: 'REPLY',
  description: 'A reply to a note',
  attributes: { author: text(), id: text(), topic: text() },
  constants: { kind: 'REPLY' },
  derive: [{ set: { PK: 'AUTHOR#{author}', SK: 'REPLY#{id}' } }, { set: { GSI1_PK: 'TOPIC#{topic}', GSI1_SK: '{id}' } }],
});

/** The problems of one pattern on a small table of notes and replies. */
function problemsOf(
  pattern: Partial<PatternOptions> & { readonly key: readonly KeyCondition[] },
  projection: Projection = 'ALL',
) {
  const table = defineTable({
    name: 'notes',
    system: 'notes',
    namespace: 'notes',
    description: 'Notes',
    hash: 'PK',
    range: 'SK',
    indexes: {
      GSI1: { hash: 'GSI1_PK', range: 'GSI1_SK', projection },
      BySize: { hash: 'GSI1_PK', range: { name: 'size', type: 'N' } },
    },
    entities: [note, reply],
    patterns: { tried: { description: 'the pattern under test', result: [note], example: {}, ...pattern } },
  });
  return proofProblems(table, table.patterns.tried);
}

const byTopic = {
  params: { topic: text() },
  index: 'GSI1',
  key: [is('GSI1_PK', 'TOPIC#{topic}')],
  filter: equals('kind', 'NOTE'),
};

describe('the prover', () => {
  it('accepts every pattern of the catalogue', () => {
    expect(prove(tables)).to.deep.equal([]);
  });

  it('accepts a sound pattern', () => {
    expect(problemsOf(byTopic)).to.deep.equal([]);
  });

  it('rejects an index that does not exist, and says which one is missing', () => {
    expect(problemsOf({ ...byTopic, index: 'GSI9' })).to.deep.equal([
      'index GSI9 does not exist on notes; it would need a Scan. Use index GSI1 or BySize, which has that hash.',
    ]);
    expect(problemsOf({ params: { body: text() }, key: [is('body', '{body}')] })).to.deep.equal([
      'body is no key of notes, whose key is PK / SK; it would need a Scan. Missing: an index on notes with hash body.',
    ]);
  });

  it('rejects the documented listing by begins_with on the partition key', () => {
    expect(problemsOf({ key: [beginsWith('PK', 'AUTHOR#'), is('SK', 'NOTE#1')] })).to.deep.equal([
      'the hash key PK of notes takes equality only, found beginsWith; it would need a Scan. ' +
        'Missing: an index on notes with hash an attribute that holds one value for all wanted records.',
    ]);
  });

  it('rejects a pattern without a hash condition', () => {
    expect(problemsOf({ key: [is('SK', 'NOTE#1')] })[0]).to.match(
      /^the hash key PK of notes needs exactly one condition, found 0; it would need a Scan\./,
    );
  });

  it('rejects two conditions on the range key', () => {
    const key = [is('PK', 'AUTHOR#{author}'), beginsWith('SK', 'NOTE#'), window('SK', { from: 'a', to: 'b' })];
    expect(problemsOf({ params: { author: text() }, key })).to.deep.equal([
      'the range key SK of notes takes one condition, found 2',
    ]);
  });

  it('rejects a prefix on a number and an empty prefix', () => {
    const hash = is('GSI1_PK', 'TOPIC#x');
    expect(problemsOf({ index: 'BySize', key: [hash, beginsWith('size', '1')] })).to.deep.equal([
      'beginsWith on size is illegal: the range key is a number',
    ]);
    expect(problemsOf({ index: 'GSI1', key: [hash, beginsWith('GSI1_SK', '')] })).to.deep.equal([
      'beginsWith on GSI1_SK with an empty text selects nothing; leave the condition out',
    ]);
  });

  it('rejects a projection that lacks what the result needs, unless it is hydrated', () => {
    const { filter: _, ...unfiltered } = byTopic;
    const both = { ...unfiltered, result: [note, reply] };
    expect(problemsOf(both, 'KEYS_ONLY')).to.deep.equal([
      'index GSI1 does not hold author, id, topic, body; declare hydrate: true, or project them',
    ]);
    expect(problemsOf({ ...both, hydrate: true }, 'KEYS_ONLY')).to.deep.equal([]);
    expect(problemsOf(both, { include: ['author', 'id', 'topic', 'body'] })).to.deep.equal([]);
  });

  it('rejects hydration where the table itself is read', () => {
    const key = [is('PK', 'AUTHOR#{author}'), beginsWith('SK', 'NOTE#')];
    expect(problemsOf({ params: { author: text() }, key, hydrate: true })).to.deep.equal([
      'hydrate is declared, but the table itself holds whole records',
    ]);
  });

  it('rejects filters on a key and on what the index does not hold', () => {
    expect(problemsOf({ ...byTopic, filter: equals('GSI1_SK', '7') })).to.include(
      'the filter names the key attribute GSI1_SK; make it a key condition',
    );
    expect(problemsOf({ ...byTopic, hydrate: true }, 'KEYS_ONLY')).to.include(
      'the filter names kind, which index GSI1 does not hold',
    );
  });

  it('rejects a pattern that lets records of another entity through', () => {
    const { filter: _, ...unfiltered } = byTopic;
    expect(problemsOf(unfiltered)).to.deep.equal(['would also return REPLY records; filter them out or name REPLY in result']);
  });

  it('rejects a key that its result entity never has', () => {
    expect(problemsOf({ index: 'GSI1', key: [is('GSI1_PK', 'SUBJECT#x')] })).to.deep.equal([
      'NOTE writes GSI1_PK as TOPIC#{topic}, which SUBJECT#x never matches',
    ]);
    expect(problemsOf({ index: 'BySize', key: [is('GSI1_PK', 'TOPIC#x')] })).to.deep.equal([
      'NOTE never has size, so it never stands in BySize',
    ]);
  });

  it('rejects parameters that are not declared, not used, or only in the example', () => {
    const { params: _, ...bare } = byTopic;
    expect(problemsOf(bare)).to.deep.equal(['parameter topic is used but not declared']);
    expect(problemsOf({ ...byTopic, params: { topic: text(), extra: text() } })).to.deep.equal([
      'parameter extra is declared but not used',
    ]);
    expect(problemsOf({ ...byTopic, example: { other: '1' } })).to.deep.equal(['example value other is no parameter']);
    expect(problemsOf({ ...byTopic, limit: 0 })).to.deep.equal(['limit 0 must be at least 1']);
  });

  it('rejects tables whose entities could overwrite each other or derive from nothing', () => {
    const twin = { ...note, name: 'TWIN' };
    const lost = { ...note, name: 'LOST', derive: [{ set: { PK: 'LOST#{nowhere}', SK: 'L' } }] };
    const table = defineTable({
      name: 'notes',
      system: 'notes',
      namespace: 'notes',
      description: 'Notes',
      hash: 'PK',
      range: 'SK',
      entities: [note, twin, lost],
    });
    expect(prove([table])).to.deep.equal([
      'notes: LOST derives from nowhere, which is none of its attributes',
      'notes: NOTE and TWIN may have the same primary key',
    ]);
  });
});
