import { epochSeconds, integer, text } from '../model/attributes.ts';
import { equals } from '../model/condition.ts';
import { defineEntity } from '../model/entity.ts';
import { is } from '../model/pattern.ts';
import { defineTable } from '../model/table.ts';

export const checkpoint = defineEntity({
  name: 'CHECKPOINT',
  description: 'How far the indexer has read; only ever moves forward',
  attributes: { lastSlot: integer(), lastSig: text() },
  derive: [{ set: { name: 'indexer:checkpoint' } }],
  keeper: { by: ['markets.advanceCheckpoint'] },
});

export const lock = defineEntity({
  name: 'LOCK',
  description: 'Who may index now, and until when',
  attributes: { lockedBy: text(), ttl: epochSeconds() },
  derive: [{ set: { name: 'indexer:lock' } }],
  keeper: { by: ['markets.takeLock', 'markets.renewLock', 'markets.releaseLock'] },
});

export const idempotency = defineEntity({
  name: 'IDEMPOTENCY',
  description: 'A signature that was handled',
  attributes: { signature: text(), ttl: epochSeconds() },
  derive: [{ set: { name: 'idempotency:{signature}' } }],
  keeper: { by: ['markets.claimSignature'] },
});

export const control = defineTable({
  name: 'control',
  system: 'markets',
  namespace: 'markets.control',
  description: 'Checkpoint, lock and idempotency rows of the markets indexer',
  hash: 'name',
  ttl: 'ttl',
  entities: [checkpoint, lock, idempotency],
  patterns: {
    checkpoint: {
      description: 'The indexer’s checkpoint',
      key: [is('name', 'indexer:checkpoint')],
      legacy: { filter: equals('name', 'indexer:checkpoint') },
      result: [checkpoint],
      example: {},
    },
    lock: {
      description: 'The indexer’s lock, if it is held',
      key: [is('name', 'indexer:lock')],
      legacy: { filter: equals('name', 'indexer:lock') },
      result: [lock],
      example: {},
    },
    claimOf: {
      description: 'The claim on a signature, if it was handled',
      params: { signature: text() },
      key: [is('name', 'idempotency:{signature}')],
      legacy: { filter: equals('name', 'idempotency:{signature}') },
      result: [idempotency],
      example: { signature: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW' },
    },
  },
});
