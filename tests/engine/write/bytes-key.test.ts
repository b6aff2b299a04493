import { expect } from 'chai';
import { openReader, openWriter } from '../../../engine/application.ts';
import { defineMigration } from '../../../engine/core/migrate/define-migration.ts';
import { derivedBackfill } from '../../../engine/core/migrate/derived-backfill.ts';
import { bytes, text } from '../../../tables/model/attributes.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { entityOf, showKey } from '../../../tables/model/item.ts';
import { is } from '../../../tables/model/pattern.ts';
import { catalogueOf, defineProject } from '../../../tables/model/project.ts';
import { prove } from '../../../tables/model/prove.ts';
import { defineTable } from '../../../tables/model/table.ts';
import { failureOf } from '../../support/failure-of.ts';
import { migrate, migrateEnvironment } from '../../support/migrate-engine.ts';
import { testConfig, useEngine } from '../../support/test-engine.ts';

const blob = defineEntity({
  name: 'BLOB',
  description: 'A blob',
  attributes: { digest: bytes(), part: bytes(), name: text(), owner: bytes().optional() },
  derive: [{ set: { label: 'BLOB#{name}' } }],
});
const blobs = defineTable({
  ...{ name: 'blobs', system: 'store', namespace: 'store.blobs', description: 'Blobs', hash: 'digest', range: 'part' },
  indexes: { ByOwner: { hash: 'owner', range: 'digest' } },
  entities: [blob],
  patterns: {
    byDigest: {
      description: 'A blob',
      params: { digest: bytes(), part: bytes() },
      key: [is('digest', '{digest}'), is('part', '{part}')],
      result: [blob],
      example: { digest: '/wE=', part: 'AQ==' },
    },
  },
});
const project = defineProject({ name: 'tablewright', tables: { blobs } });
const tables = catalogueOf(project);
const keys = { digest: Uint8Array.of(0xff, 1), part: Uint8Array.of(1) };

describe('a table whose key is of bytes', () => {
  const engine = useEngine(tables);

  it('holds, and its records are told and named by it', () => {
    expect(prove(tables)).to.deep.equal([]);
    const item = { digest: { B: keys.digest }, part: { B: keys.part }, name: { S: 'first' } };
    expect([entityOf(blobs, item)?.name, showKey(blobs, item)]).to.deep.equal(['BLOB', '/wE= / AQ==']);
    expect(entityOf(blobs, { digest: { B: keys.digest } })).to.equal(undefined);
  });

  it('is written, changed, migrated and removed like any other', async () => {
    const place = { stack: testConfig.stack, region: testConfig.region, endpoint: engine().endpoint };
    const writer = openWriter(project, place);
    const reader = openReader(project, place);
    const nameNow = async () => (await reader.first('store.blobs.byDigest', keys))?.name;
    try {
      await writer.put(blob, { ...keys, name: 'first' });
      expect(await writer.update(blob, keys, () => ({ name: 'second', owner: Uint8Array.of(7) }))).to.include({ written: true });
      expect(await nameNow()).to.equal('second');
      const moved = await failureOf(writer.update(blob, keys, () => ({ part: Uint8Array.of(2) })));
      expect(moved.problems).to.deep.equal(['part: a part of the key cannot be changed; remove the record and put another']);
      const [stored] = Object.values(await engine().content(blobs)) as Record<string, unknown>[];
      await engine().removeRaw(blobs, [{ digest: { B: keys.digest }, part: { B: keys.part } }]);
      const { digest, part } = { digest: { B: keys.digest }, part: { B: keys.part } };
      await engine().putRaw(blobs, [{ digest, part, name: { S: 'second' }, owner: { B: Uint8Array.of(7) } }]);
      const label = derivedBackfill({ name: 'labels', table: blobs, entities: [blob], attributes: ['label'] });
      const migration = defineMigration({ id: '0001-label', description: 'label', steps: [label] });
      expect((await migrate(migrateEnvironment(engine(), { tables }), [migration])).outcome).to.equal('done');
      expect(Object.values(await engine().content(blobs))).to.deep.equal([stored]);
      const record = await reader.first('store.blobs.byDigest', keys);
      expect(await writer.remove(blob, record ?? { ...keys, name: '' })).to.include({ outcome: 'applied' });
      expect(await nameNow()).to.equal(undefined);
    } finally {
      await writer.close();
      await reader.close();
    }
  });
});
