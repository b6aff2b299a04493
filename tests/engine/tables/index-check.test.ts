import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import fc from 'fast-check';
import { dynamoClient } from '../../../engine/aws/clients.ts';
import { attributeDefinitions, keyElements } from '../../../engine/core/tables/create-table.ts';
import { IndexChecker, keyFaults } from '../../../engine/core/tables/index-check.ts';
import { openDynamo } from '../../../engine/local/local-engine.ts';
import type { AttributeValue, Item } from '../../../tables/model/attribute-value.ts';
import { type Index, keyAttributes } from '../../../tables/model/table.ts';
import { skipWithout } from '../../support/java.ts';

const key = { hash: { name: 'id', type: 'S' } } as const;
const index: Index = {
  name: 'Natural',
  hash: [
    { name: 'tenant', type: 'S' },
    { name: 'shard', type: 'N' },
  ],
  range: [
    { name: 'at', type: 'S' },
    { name: 'raw', type: 'B' },
  ],
  projection: 'ALL',
};

const wrong = fc.constantFrom<AttributeValue>(
  { NULL: true },
  { BOOL: true },
  { S: '' },
  { B: new Uint8Array() },
  { L: [] },
  { M: {} },
);
const value = (right: fc.Arbitrary<AttributeValue>) =>
  fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: wrong }, { weight: 1, arbitrary: fc.constant(undefined) });
const textOf = (most: number, least = 1) =>
  fc.integer({ min: least, max: most }).map((length): AttributeValue => ({ S: 'é'.repeat(length) }));
const numbers = ['0', '1', '12', '1.5', '-2.5', '-12345', '0.001', '1e20', '1e-101', '9'.repeat(38)];
const item = fc
  .record({
    tenant: value(fc.oneof(textOf(5), textOf(1_100), textOf(1_026, 1_010))),
    shard: value(fc.constantFrom(...numbers).map((N): AttributeValue => ({ N }))),
    at: value(fc.oneof(textOf(5), textOf(600))),
    raw: value(fc.integer({ min: 1, max: 900 }).map((length): AttributeValue => ({ B: new Uint8Array(length) }))),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined)) as Item);

/** Once drawn at random: a number takes its part of the length that the attributes of one purpose share. */
const drawnOnce: readonly Item[] = [
  { tenant: { S: 'é'.repeat(1_024) } },
  { tenant: { S: 'é'.repeat(1_024) }, shard: { N: '1' } },
  { tenant: { S: 'é'.repeat(1_023) }, shard: { N: '1' } },
  { tenant: { S: 'é'.repeat(1_023) }, shard: { N: '-2.5' } },
];

describe('the check of an index', () => {
  describe('beside Amazon’s engine', () => {
    const engine = 'dynamodb-local';
    skipWithout(engine);

    it('calls refused what Amazon’s engine refuses once the index is there, and nothing else', async function () {
      this.timeout(120_000);
      const service = await openDynamo({ data: { kind: 'memory' }, engine });
      const client = dynamoClient({ region: 'us-east-1', endpoint: service.endpoint });
      try {
        await client.send(
          new CreateTableCommand({
            TableName: 'checked',
            BillingMode: 'PAY_PER_REQUEST',
            AttributeDefinitions: attributeDefinitions(keyAttributes({ key, indexes: [index] })),
            KeySchema: keyElements(key),
            GlobalSecondaryIndexes: [
              { IndexName: index.name, KeySchema: keyElements(index), Projection: { ProjectionType: 'ALL' } },
            ],
          }),
        );
        const verdicts = { refused: 0, taken: 0 };
        for (const [at, drawn] of [...drawnOnce, ...fc.sample(item, 300)].entries()) {
          const put = client.send(new PutItemCommand({ TableName: 'checked', Item: { id: { S: `i${at}` }, ...drawn } }));
          const isRefused = await put.then(
            () => false,
            () => true,
          );
          const faults = keyFaults(index, drawn);
          expect(isRefused, JSON.stringify([drawn, faults])).to.equal(faults.length > 0);
          verdicts[isRefused ? 'refused' : 'taken'] += 1;
        }
        expect(Math.min(verdicts.refused, verdicts.taken)).to.be.above(20);
      } finally {
        client.destroy();
        await service.release();
      }
    });
  });

  it('counts every record once: held, left out or refused', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 60 }), (items) => {
        const checker = new IndexChecker({ key }, index);
        for (const [at, one] of items.entries()) checker.add({ id: { S: `i${at}` }, ...one });
        const { records, held, lacking, refused, violations } = checker.result;
        expect(held + refused + Object.values(lacking).reduce((sum, count) => sum + count, 0)).to.equal(records);
        expect(records).to.equal(items.length);
        for (const violation of violations) expect(violation.examples.length).to.be.within(1, 5);
        // Keys may be shown, contents not.
        expect(JSON.stringify(violations)).not.to.include('é');
      }),
    );
  });
});
