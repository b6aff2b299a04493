/** A migration that works as it stands on a table of the catalogue, to be changed into what is wanted. */
export function migrationSkeleton(id: string): string {
  return `import { backfill, defineMigration } from '../engine/author.ts';
import { markets } from '../tables/catalogue.ts';
import { market } from '../tables/markets/markets.ts';

export default defineMigration({
  id: '${id}',
  description: 'What it does, in a sentence',
  // needs: { migrations: ['0001-index-oms-config'], indexes: [{ table: markets, indexes: ['markets_by_status'] }] },
  steps: [
    // Index keys that the catalogue derives need no function: derivedBackfill({ name, table, entities }).
    backfill({
      name: 'what is filled in',
      table: markets,
      entities: [market],
      reads: ['status'],
      writes: ['is_open'],
      // Pure: from the attributes above to the ones to set or remove. Items that are right already cost no write.
      change: (item) => ({ set: { is_open: { BOOL: item.status !== undefined && 'S' in item.status && item.status.S === 'Active' } } }),
    }),
  ],
});
`;
}

export function testSkeleton(id: string): string {
  return `import { expect } from 'chai';
import migration from '../../migrations/${id}.ts';
import { ledger, markets } from '../../tables/catalogue.ts';
import { contentOf, migrateEnvironment, proveMigration } from '../support/migrate-engine.ts';
import { useEngine } from '../support/test-engine.ts';

describe('${id}', () => {
  const engine = useEngine([markets, ledger]);

  it('fills the attribute, changes nothing when run again, and is undone by a rollback', async () => {
    await engine().putRaw(markets, [
      { id: { S: 'm1' }, title: { S: 'One' }, status: { S: 'Active' }, createdAt: { S: '2025-01-01T00:00:00.000Z' } },
    ]);
    await proveMigration(engine(), migrateEnvironment(engine(), { tables: [markets, ledger] }), migration, async () => {
      const [item] = Object.values(await contentOf(engine(), markets));
      expect(item).to.have.deep.property('is_open', { BOOL: true });
    });
  });
});
`;
}
