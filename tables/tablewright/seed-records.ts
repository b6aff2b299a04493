import { z } from 'zod';
import { epochSeconds, integer, isoTime, text } from '../model/attributes.ts';
import { defineEntity } from '../model/entity.ts';

export const seedSet = defineEntity({
  name: 'SEED_SET',
  description: 'A seed set that was loaded, and what `now` means in it',
  attributes: { set: text(), anchor: epochSeconds(), loadedAt: isoTime() },
  derive: [{ set: { PK: 'SEED#{set}', SK: 'SET' } }],
});

export const seedRow = defineEntity({
  name: 'SEED_ROW',
  description: 'A row that a seed set wrote or is about to write: where, and the hashes of the contents that are its own',
  attributes: {
    set: text(),
    identity: text(),
    table: text(),
    // One normally; while a row is being written, the one that is there and the one that is to come.
    copies: z.array(z.strictObject({ key: text(), hash: text() })),
  },
  derive: [{ set: { PK: 'SEED#{set}', SK: 'ROW#{identity}' } }],
});

export const seedVolume = defineEntity({
  name: 'SEED_VOLUME',
  description: 'Generated rows of a seed set: from which random seed and base time, how many, how many of them are stored',
  attributes: {
    set: text(),
    seed: integer(),
    base: epochSeconds(),
    count: integer(),
    stored: integer(),
    // Of an earlier shape, while they are being deleted.
    former: z.strictObject({ base: epochSeconds(), count: integer() }).optional(),
    updatedAt: isoTime(),
  },
  derive: [{ set: { PK: 'SEED#{set}', SK: 'VOLUME#{seed}' } }],
});
