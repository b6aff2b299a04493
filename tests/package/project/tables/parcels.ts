import { ascending, choice, defineEntity, defineTable, equals, is, isoTime, text } from 'tablewright';

export const parcel = defineEntity({
  name: 'PARCEL',
  description: 'A parcel on its way',
  attributes: { id: text(), city: text(), state: choice('waiting', 'sent'), at: isoTime() },
  derive: [
    { set: { PK: 'PARCEL#{id}' } },
    { set: { CITY: 'CITY#{city}', CITY_AT: '{at}' } },
    { set: { STATE: 'STATE#{state}', STATE_AT: '{at}' } },
  ],
});

export const parcels = defineTable({
  name: 'parcels',
  system: 'shop',
  namespace: 'shop.parcels',
  description: 'Parcels',
  hash: 'PK',
  indexes: { ByCity: { hash: 'CITY', range: 'CITY_AT' }, ByState: { hash: 'STATE', range: 'STATE_AT' } },
  entities: [parcel],
  patterns: {
    byId: {
      description: 'One parcel',
      params: { id: text() },
      key: [is('PK', 'PARCEL#{id}')],
      result: [parcel],
      example: { id: 'p1' },
    },
    byCity: {
      description: 'Parcels to a city, oldest first',
      params: { city: text() },
      index: 'ByCity',
      key: [is('CITY', 'CITY#{city}')],
      result: [parcel],
      example: { city: 'Bern' },
    },
    byState: {
      description: 'Parcels by state',
      params: { state: choice('waiting', 'sent') },
      index: 'ByState',
      key: [is('STATE', 'STATE#{state}')],
      result: [parcel],
      example: { state: 'waiting' },
      legacy: { filter: equals('state', '{state}'), sort: ascending('at'), backfill: '0001-index-parcels' },
    },
  },
});
