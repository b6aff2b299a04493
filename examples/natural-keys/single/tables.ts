import { choice, defineEntity, defineTable, is, isoTime, type Table, text, window } from 'tablewright';
import { ofRelease } from '../release.ts';

const described = {
  name: 'TICKET',
  description: 'A ticket of a team',
  attributes: { id: text(), team: text(), openedAt: isoTime(), state: choice('open', 'done'), createdAt: isoTime() },
};
const withKey = defineEntity({ ...described, derive: [{ set: { GSI1PK: 'TEAM#{team}', GSI1SK: '{openedAt}' } }] });
const withoutKey = defineEntity(described);

const about = { name: 'tickets', system: 'desk', namespace: 'desk.tickets', description: 'Tickets', hash: 'id' } as const;
const question = {
  description: 'The tickets of a team, oldest first',
  params: { team: text(), from: isoTime().optional(), to: isoTime().optional() },
  example: { team: 'team-1' },
} as const;

const madeUp = {
  index: 'TicketsByTeam',
  key: [is('GSI1PK', 'TEAM#{team}'), window('GSI1SK', { from: '{from}', to: '{to}' })],
} as const;
const natural = { index: 'ByTeam', key: [is('team', '{team}'), window('openedAt', { from: '{from}', to: '{to}' })] } as const;

const TicketsByTeam = { hash: 'GSI1PK', range: 'GSI1SK' } as const;
const ByTeam = { hash: 'team', range: 'openedAt' } as const;

/** Releases 1 and 5: every record carries a copy of two of its attributes, for the index. */
const before = defineTable({
  ...about,
  indexes: { TicketsByTeam },
  entities: [withKey],
  patterns: { ofTeam: { ...question, ...madeUp, result: [withKey] } },
});

/** Release 2: both indexes; readers are moved from the one to the other. */
const there = defineTable({
  ...about,
  indexes: { TicketsByTeam, ByTeam },
  entities: [withKey],
  patterns: { ofTeam: { ...question, ...natural, result: [withKey], legacy: madeUp } },
});

/** Release 3: nothing is derived, one index. */
const after = defineTable({
  ...about,
  indexes: { ByTeam },
  entities: [withoutKey],
  patterns: { ofTeam: { ...question, ...natural, result: [withoutKey] } },
});

/** Release 4: as the second, the other way round; the key has to be filled in before its index can be read. */
const back = defineTable({
  ...about,
  indexes: { TicketsByTeam, ByTeam },
  entities: [withKey],
  patterns: { ofTeam: { ...question, ...madeUp, result: [withKey], legacy: { ...natural, backfill: '0004-fill-made-up-keys' } } },
});

export const tickets: Table = ofRelease<Table>([before, there, after, back, before]);
export const ticket = ofRelease([withKey, withKey, withoutKey, withKey, withKey]);
