import { expect } from 'chai';
import { bootTimeoutMs } from './support/boot.ts';
import { bootedStack } from './support/booted-stacks.ts';
import { deprecatedUses } from './support/deprecated.ts';
import { broken, type Inputs, tableType } from './support/registered.ts';

describe('the registered resources', function () {
  this.timeout(bootTimeoutMs);

  it('use no class and no argument that the provider calls deprecated', async () => {
    const [dev, prod] = await Promise.all([bootedStack('dev'), bootedStack('prod')]);
    expect(deprecatedUses([...dev.resources, ...prod.resources])).to.deep.equal([]);
  });

  it('would be found out if they did, at the top and inside', async () => {
    const { resources } = await bootedStack('prod');
    const withHashKey = broken(resources, tableType, 'oms_config', (table) => {
      const [index] = table.inputs.globalSecondaryIndexes as readonly Inputs[];
      return { ...table, inputs: { ...table.inputs, globalSecondaryIndexes: [{ ...index, hashKey: 'GSI1_PK' }] } };
    });
    const withVersioning = broken(withHashKey, 'aws:s3/bucket:Bucket', 'exports', (bucket) => {
      return { ...bucket, inputs: { ...bucket.inputs, versioning: { enabled: true } } };
    });
    expect(deprecatedUses(withVersioning)).to.have.members([
      `${tableType} oms_config.globalSecondaryIndexes[0].hashKey`,
      'aws:s3/bucket:Bucket exports.versioning',
    ]);
  });
});
