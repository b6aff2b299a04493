import { expect } from 'chai';
import fc from 'fast-check';
import { lifecycleRules } from '../../infra/bucket/lifecycle.ts';
import { tableArgs } from '../../infra/table/table-args.ts';
import { tableOptions } from '../../infra/table/table-options.ts';
import { shapeOf, type TableShape } from '../../tables/model/shape/shape.ts';
import { bulkPrefix } from '../../tables/model/stack/config/storage.ts';
import { exportBucketName, logBucketName } from '../../tables/model/stack/export-bucket-name.ts';
import { scalingOf } from '../../tables/model/stack/scaling.ts';
import { parseStackConfig, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { defineTable, provisioned, type Table } from '../../tables/model/table.ts';
import { place } from './support/fake-aws.ts';
import { configOf, type Settings } from './support/stack-file.ts';

const sample = defineTable({
  name: 'sample',
  system: 'samples',
  namespace: 'samples.sample',
  description: 'A table for these tests',
  hash: 'id',
  range: { name: 'at', type: 'N' },
  indexes: {
    ByOwner: { hash: 'owner', range: { name: 'at', type: 'N' } },
    ByTag: { hash: 'tag', projection: { include: ['title', 'note'] } },
  },
  ttl: 'expires',
  billing: { production: provisioned(10, 20, { read: 100, write: 200 }) },
});

const config = (settings: Settings = {}): StackConfig => parseStackConfig('qa', settings, [sample]);
const production = { 'tablewright:production': true };

describe('tableArgs', () => {
  it('names only the attributes that keys use, each once', () => {
    expect(tableArgs(sample, config()).attributes).to.deep.equal([
      { name: 'id', type: 'S' },
      { name: 'at', type: 'N' },
      { name: 'owner', type: 'S' },
      { name: 'tag', type: 'S' },
    ]);
  });

  it('gives indexes by key schemas and projection', () => {
    expect(tableArgs(sample, config()).globalSecondaryIndexes).to.deep.equal([
      {
        name: 'ByOwner',
        keySchemas: [
          { attributeName: 'owner', keyType: 'HASH' },
          { attributeName: 'at', keyType: 'RANGE' },
        ],
        projectionType: 'ALL',
      },
      {
        name: 'ByTag',
        keySchemas: [{ attributeName: 'tag', keyType: 'HASH' }],
        projectionType: 'INCLUDE',
        nonKeyAttributes: ['title', 'note'],
      },
    ]);
  });

  it('gives an index on several attributes all of them, the partition before the order', () => {
    const tuples = defineTable({
      ...{ name: 'tuples', system: 'samples', namespace: 'samples.tuples', description: 'Tuples', hash: 'id' },
      indexes: { ByPlace: { hash: ['tenant', { name: 'shard', type: 'N' }], range: ['round', { name: 'at', type: 'N' }] } },
    });
    const { attributes, globalSecondaryIndexes } = tableArgs(tuples, parseStackConfig('qa', {}, [tuples]));
    expect(globalSecondaryIndexes?.map(({ keySchemas }) => keySchemas)).to.deep.equal([
      [
        { attributeName: 'tenant', keyType: 'HASH' },
        { attributeName: 'shard', keyType: 'HASH' },
        { attributeName: 'round', keyType: 'RANGE' },
        { attributeName: 'at', keyType: 'RANGE' },
      ],
    ]);
    expect(attributes).to.deep.include({ name: 'shard', type: 'N' }).and.to.deep.include({ name: 'round', type: 'S' });
  });

  it('names the attribute of a TTL that is switched off, as long as the released shape knows one', () => {
    const { ttl: _, ...without } = sample;
    const shape = { ...(shapeOf([sample])[sample.name] as TableShape) };
    const ttl = (table: Table, released?: Partial<TableShape>) =>
      tableArgs(table, config(), released === undefined ? undefined : { ...shape, ...released }).ttl;
    expect(ttl(sample)).to.deep.equal({ enabled: true, attributeName: 'expires' });
    expect(ttl(sample, { ttl: null })).to.deep.equal({ enabled: true, attributeName: 'expires' });
    expect(ttl(sample, { ttl: null, formerTtl: 'ttl' })).to.deep.equal({ enabled: true, attributeName: 'expires' });
    expect(ttl(sample, { ttl: 'ttl' }), 'the first half of a move').to.deep.equal({ enabled: false, attributeName: 'ttl' });
    expect(ttl(without)).to.deep.equal({ enabled: false });
    expect(ttl(without, { ttl: null })).to.deep.equal({ enabled: false });
    expect(ttl(without, { ttl: 'expires' })).to.deep.equal({ enabled: false, attributeName: 'expires' });
    expect(ttl(without, { ttl: null, formerTtl: 'expires' })).to.deep.equal({ enabled: false, attributeName: 'expires' });
  });

  it('sets a maximum on an on-demand table and each index', () => {
    const args = tableArgs(sample, config({ 'tablewright:billing': { mode: 'on-demand', maximum: { read: 7, write: 8 } } }));
    const most = { maxReadRequestUnits: 7, maxWriteRequestUnits: 8 };
    expect(args).to.deep.include({ billingMode: 'PAY_PER_REQUEST', onDemandThroughput: most });
    for (const index of args.globalSecondaryIndexes ?? []) expect(index.onDemandThroughput).to.deep.equal(most);
    expect(args).not.to.have.any.keys('readCapacity', 'writeCapacity');
  });

  it('sets capacities on a provisioned table and each index', () => {
    const args = tableArgs(sample, config(production));
    expect(args).to.include({ billingMode: 'PROVISIONED', readCapacity: 10, writeCapacity: 20 });
    for (const index of args.globalSecondaryIndexes ?? []) expect(index).to.include({ readCapacity: 10, writeCapacity: 20 });
  });

  it('protects, restores and tags as the stack says', () => {
    expect(tableArgs(sample, config({ ...production, 'tablewright:tags': { Team: 'desk' } }))).to.deep.include({
      name: 'sample-qa',
      deletionProtectionEnabled: true,
      pointInTimeRecovery: { enabled: true, recoveryPeriodInDays: 35 },
      tags: { Team: 'desk', Environment: 'qa', Service: 'samples', Table: 'sample' },
    });
    expect(tableArgs(sample, config())).to.deep.include({
      deletionProtectionEnabled: false,
      pointInTimeRecovery: { enabled: false },
    });
  });
});

describe('tableOptions', () => {
  const shape = shapeOf([sample]).sample;

  it('ignores what auto scaling moves, by the position that a deployed index has', () => {
    expect(tableOptions(sample, config(production), shape).ignoreChanges).to.deep.equal([
      'readCapacity',
      'writeCapacity',
      'globalSecondaryIndexes[0].readCapacity',
      'globalSecondaryIndexes[0].writeCapacity',
      'globalSecondaryIndexes[1].readCapacity',
      'globalSecondaryIndexes[1].writeCapacity',
    ]);
  });

  it('does not ignore an index that is new or has moved: Pulumi would miss the path, or keep another’s capacity', () => {
    const [first, second] = shape?.indexes ?? [];
    if (shape === undefined || first === undefined || second === undefined) throw new Error('the sample has two indexes');
    const paths = (indexes: typeof shape.indexes) =>
      tableOptions(sample, config(production), { ...shape, indexes }).ignoreChanges;
    expect(paths([first])).to.deep.equal(['readCapacity', 'writeCapacity', ...at(0)]);
    expect(paths([second, first])).to.deep.equal(['readCapacity', 'writeCapacity']);
  });

  it('ignores nothing on demand, on a table that does not scale, or when the drift is to be corrected', () => {
    const fixed = { mode: 'provisioned', read: 1, write: 1 };
    const corrected = { ...fixed, max: { read: 2, write: 2 }, drift: 'correct' };
    expect(tableOptions(sample, config(), shape).ignoreChanges).to.deep.equal([]);
    expect(tableOptions(sample, config({ 'tablewright:billing': fixed }), shape).ignoreChanges).to.deep.equal([]);
    expect(tableOptions(sample, config({ 'tablewright:billing': corrected }), shape).ignoreChanges).to.deep.equal([]);
  });

  function at(position: number): readonly string[] {
    return [`globalSecondaryIndexes[${position}].readCapacity`, `globalSecondaryIndexes[${position}].writeCapacity`];
  }
});

describe('scalingOf', () => {
  it('scales the table and each index between its capacity and its maximum', () => {
    expect(scalingOf(sample, config(production)).map(({ name, resourceId }) => `${name} ${resourceId}`)).to.deep.equal([
      'read table/sample-qa',
      'write table/sample-qa',
      'ByOwner-read table/sample-qa/index/ByOwner',
      'ByOwner-write table/sample-qa/index/ByOwner',
      'ByTag-read table/sample-qa/index/ByTag',
      'ByTag-write table/sample-qa/index/ByTag',
    ]);
    expect(scalingOf(sample, config())).to.deep.equal([]);
  });

  it('never lets a minimum pass its maximum, whatever a valid file says', () => {
    const amount = fc.integer({ min: 1, max: 40_000 });
    fc.assert(
      fc.property(amount, amount, amount, amount, (read, write, moreRead, moreWrite) => {
        const billing = { mode: 'provisioned', read, write, max: { read: read + moreRead, write: write + moreWrite } };
        for (const { minCapacity, maxCapacity } of scalingOf(sample, config({ 'tablewright:billing': billing }))) {
          expect(maxCapacity).to.be.greaterThan(minCapacity);
        }
      }),
    );
  });
});

describe('lifecycleRules', () => {
  it('moves and expires by prefix, and keeps statistics with all their versions', () => {
    const rules = lifecycleRules(configOf('prod').exportBucket);
    expect(rules.find(({ id }) => id === 'exports')).to.deep.equal({
      id: 'exports',
      status: 'Enabled',
      filter: { prefix: 'exports/' },
      transitions: [{ days: 30, storageClass: 'STANDARD_IA' }],
      expiration: { days: 365 },
      noncurrentVersionExpiration: { noncurrentDays: 30 },
    });
    expect(rules.find(({ id }) => id === 'statistics')).to.deep.equal({
      id: 'statistics',
      status: 'Enabled',
      filter: { prefix: 'statistics/' },
      transitions: [{ days: 90, storageClass: 'GLACIER_IR' }],
    });
  });

  it('clears what a bulk put staged, long after it has ended', () => {
    const rules = lifecycleRules(configOf('dev').exportBucket);
    expect(rules.find(({ filter }) => filter.prefix === bulkPrefix)?.expiration).to.deep.equal({ days: 7 });
  });

  it('expires nothing outside the prefixes', () => {
    const rest = lifecycleRules(configOf('prod').exportBucket).filter(({ filter }) => filter.prefix === '');
    expect(rest.map(({ expiration }) => expiration)).to.deep.equal([{ expiredObjectDeleteMarker: true }]);
  });
});

describe('exportBucketName', () => {
  it('is a name that S3 takes, for every stack that Pulumi takes', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-';
    const stack = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(stack, (name) => {
        const bucket = { ...configOf('dev'), stack: name };
        for (const found of [exportBucketName(bucket, place), logBucketName(bucket, place)]) {
          expect(found).to.match(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
        }
        expect(logBucketName(bucket, place)).not.to.equal(exportBucketName(bucket, place));
      }),
    );
  });

  it('is the stack file’s own when it names one', () => {
    expect(exportBucketName(configOf('dev', { 'tablewright:exportBucket': { name: 'desk-exports' } }), place)).to.equal(
      'desk-exports',
    );
  });
});
