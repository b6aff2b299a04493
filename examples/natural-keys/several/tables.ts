import { beginsWith, choice, defineEntity, defineTable, integer, is, isoTime, type Table, text } from 'tablewright';
import { ofRelease } from '../release.ts';

const described = {
  name: 'TICKET',
  description: 'A ticket of a team',
  attributes: {
    id: text(),
    team: text(),
    state: choice('open', 'done'),
    priority: integer(),
    openedAt: isoTime(),
    createdAt: isoTime(),
  },
};
const key = { GSI1PK: 'TEAM#{team}#STATE#{state}', GSI1SK: '{priority|pad3}#{openedAt}' };
const withKey = defineEntity({ ...described, derive: [{ set: key }] });
const withoutKey = defineEntity(described);

const about = { name: 'tickets', system: 'desk', namespace: 'desk.tickets', description: 'Tickets', hash: 'id' } as const;
const question = {
  description: 'The tickets of a team in a state, by priority and time; of one priority if it is given',
  params: { team: text(), state: choice('open', 'done'), priority: integer().optional() },
  example: { team: 'team-1', state: 'open' },
} as const;

const madeUp = {
  index: 'TicketsByTeam',
  key: [is('GSI1PK', 'TEAM#{team}#STATE#{state}'), beginsWith('GSI1SK', '{priority|pad3}#')],
} as const;
const natural = {
  index: 'ByTeam',
  key: [is('team', '{team}'), is('state', '{state}'), is('priority', '{priority}')],
} as const;

const TicketsByTeam = { hash: 'GSI1PK', range: 'GSI1SK' } as const;
const ByTeam = { hash: ['team', 'state'], range: ['priority', 'openedAt'] } as const;

/** Releases 1 and 5: four attributes are put together to two texts in every record, for the index. */
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

/** Release 3: nothing is derived, one index on four attributes as they stand. */
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
