import { isoTime, text } from '../../../tables/model/attributes.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { ledger } from '../../../tables/model/ledger/ledger.ts';
import { is, window } from '../../../tables/model/pattern.ts';
import { defineProject } from '../../../tables/model/project.ts';
import { defineTable } from '../../../tables/model/table.ts';

const described = {
  name: 'NOTE',
  description: 'A note',
  attributes: { id: text(), topic: text().optional(), written: isoTime().optional(), words: text() },
};
export const note = defineEntity({ ...described, derive: [{ set: { madePK: 'TOPIC#{topic}', madeSK: '{written}' } }] });
export const bareNote = defineEntity(described);

const about = { name: 'notes', system: 'notes', namespace: 'notes', description: 'Notes', hash: 'id' } as const;
const question = {
  description: 'The notes of a topic, oldest first',
  params: { topic: text(), from: isoTime().optional(), to: isoTime().optional() },
  example: { topic: 'a' },
} as const;
const madeUp = {
  index: 'ByMade',
  key: [is('madePK', 'TOPIC#{topic}'), window('madeSK', { from: '{from}', to: '{to}' })],
} as const;
const natural = { index: 'ByTopic', key: [is('topic', '{topic}'), window('written', { from: '{from}', to: '{to}' })] } as const;
const ByMade = { hash: 'madePK', range: 'madeSK' } as const;
const ByTopic = { hash: 'topic', range: 'written' } as const;

/** With the made-up key alone. */
export const before = defineTable({
  ...about,
  indexes: { ByMade },
  entities: [note],
  patterns: { ofTopic: { ...question, ...madeUp, result: [note] } },
});

/** On the way: both indexes. */
export const there = defineTable({
  ...about,
  indexes: { ByMade, ByTopic },
  entities: [note],
  patterns: { ofTopic: { ...question, ...natural, result: [note], legacy: madeUp } },
});

/** With natural attributes alone. */
export const after = defineTable({
  ...about,
  indexes: { ByTopic },
  entities: [bareNote],
  patterns: { ofTopic: { ...question, ...natural, result: [bareNote] } },
});

/** On the way back. */
export const back = defineTable({
  ...about,
  indexes: { ByMade, ByTopic },
  entities: [note],
  patterns: { ofTopic: { ...question, ...madeUp, result: [note], legacy: { ...natural, backfill: '0009-fill' } } },
});

export const projectOf = (table: typeof there) => defineProject({ name: 'tablewright', tables: { notes: table } });
export const notesTables = [there, ledger];

const at = (number: number) => new Date(Date.UTC(2025, 0, 1) + number * 60_000).toISOString();
export const noteOf = (number: number, topic = `topic-${number % 4}`) => ({
  id: `n${String(number).padStart(4, '0')}`,
  topic,
  // Some share their time: records that tie have no order.
  written: at(Math.floor(number / 2)),
  words: `words ${number}`,
});
