import { z } from 'zod';
import { epochSeconds, integer, isoTime, text } from '../attributes.ts';
import type { RecordOf } from '../entity.ts';
import { defineLedgerEntity } from './ledger-entity.ts';
import { ledgerKeys } from './ledger-keys.ts';

export const seedSet = defineLedgerEntity({
  name: 'SEED_SET',
  description: 'A seed set that was loaded, and what `now` means in it',
  key: ledgerKeys.seedSet,
  inKey: {},
  attributes: { set: text(), anchor: epochSeconds(), loadedAt: isoTime() },
});

export const seedRow = defineLedgerEntity({
  name: 'SEED_ROW',
  description: 'A row that a seed set wrote or is about to write: where, and the hashes of the contents that are its own',
  key: ledgerKeys.seedRow,
  inKey: {},
  attributes: {
    set: text(),
    identity: text(),
    table: text(),
    // One normally; while a row is being written, the one that is there and the one that is to come.
    copies: z.array(z.object({ key: text(), hash: text() })),
  },
});

export const seedVolume = defineLedgerEntity({
  name: 'SEED_VOLUME',
  description: 'Generated rows of a seed set: from which random seed and base time, how many, how many of them are stored',
  key: ledgerKeys.seedVolume,
  inKey: {},
  attributes: {
    set: text(),
    seed: integer(),
    base: epochSeconds(),
    count: integer(),
    stored: integer(),
    // Of an earlier shape, while they are being deleted.
    former: z.object({ base: epochSeconds(), count: integer() }).optional(),
    updatedAt: isoTime(),
  },
});

export type VolumeRecord = RecordOf<typeof seedVolume>;
