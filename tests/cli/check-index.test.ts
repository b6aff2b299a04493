import { CreateTableCommand, PutItemCommand, UpdateItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { type DynamoDBClient, dynamoClient } from '../../engine/aws/clients.ts';
import { type EngineName, engineNames } from '../../engine/local/choose-engine.ts';
import { type DynamoService, openDynamo } from '../../engine/local/local-engine.ts';
import type { AttributeValue, Item } from '../../tables/model/attribute-value.ts';
import { skipWithout } from '../support/java.ts';
import { runMain } from '../support/run-main.ts';
import { type ScratchProject, scratchProject } from '../support/scratch-project.ts';

/** An ordinary index that is planned: the table on the server does not have it. */
const projectFile = `import { defineEntity, defineProject, defineTable, integer, text } from 'tablewright';

const parcel = defineEntity({
  name: 'PARCEL',
  description: 'A parcel',
  attributes: { id: text(), owner: text().optional(), weight: integer().optional() },
});
const parcels = defineTable({
  name: 'parcels',
  system: 'post',
  namespace: 'post.parcels',
  description: 'Parcels',
  hash: 'id',
  indexes: { ByOwner: { hash: 'owner', range: 'weight' } },
  entities: [parcel],
});
export default defineProject({ name: 'post', tables: { parcels } });
`;

const TableName = 'parcels-dev';
const right = { owner: { S: 'ann' }, weight: { N: '3' } };
const stored: Readonly<Record<string, Readonly<Record<string, AttributeValue>>>> = {
  right,
  'right too': { ...right, weight: { N: '-2.5' } },
  'as long as it may be': { ...right, owner: { S: 'é'.repeat(1_024) } },
  'without owner': { weight: { N: '3' } },
  'without weight': { owner: { S: 'ann' } },
  'empty text': { ...right, owner: { S: '' } },
  null: { ...right, owner: { NULL: true } },
  'wrong type': { ...right, weight: { S: '3' } },
  'too long': { ...right, owner: { S: `${'é'.repeat(1_024)}x` } },
};
const refused = ['empty text', 'null', 'wrong type', 'too long'];

const definition = {
  AttributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' as const },
    { AttributeName: 'owner', AttributeType: 'S' as const },
    { AttributeName: 'weight', AttributeType: 'N' as const },
  ],
  Create: {
    IndexName: 'ByOwner',
    KeySchema: [
      { AttributeName: 'owner', KeyType: 'HASH' as const },
      { AttributeName: 'weight', KeyType: 'RANGE' as const },
    ],
    Projection: { ProjectionType: 'ALL' as const },
  },
};

/** A suite of its own, whose hooks are skipped with it. */
function checksIndexes(engine: EngineName): void {
  describe('check index of an ordinary index', () => {
    let project: ScratchProject;
    let service: DynamoService;
    let client: DynamoDBClient;

    before(async () => {
      project = await scratchProject({
        'tablewright.config.ts': projectFile,
        'Pulumi.dev.yaml': 'config:\n  aws:region: us-east-1\n',
      });
      service = await openDynamo({ data: { kind: 'memory' }, engine });
      client = dynamoClient({ region: 'us-east-1', endpoint: service.endpoint });
      await client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: definition.AttributeDefinitions.slice(0, 1),
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        }),
      );
      for (const [id, item] of Object.entries(stored)) {
        await client.send(new PutItemCommand({ TableName, Item: { id: { S: id }, ...item } as Item }));
      }
    });
    after(async () => {
      client?.destroy();
      await service?.release();
      await project?.remove();
    });

    const check = (...more: readonly string[]) =>
      runMain(project.root, ['check', 'index', 'parcels', 'ByOwner', '--endpoint', service.endpoint, ...more]);

    it('tells every record that it would make unwritable, by its fault, and those that it leaves out', async () => {
      const { code, stdout, stderr } = await check('--json');
      expect(code, stderr).to.equal(1);
      const { records, held, lacking, refused: count, violations } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
      expect({ records, held, lacking, count }).to.deep.equal({
        records: 9,
        held: 3,
        lacking: { owner: 1, weight: 1 },
        count: 4,
      });
      const told = (violations as { attributes: string[]; fault: string; examples: string[] }[]).map(
        ({ attributes, fault, examples }) => [examples.join(), attributes.join(), fault],
      );
      expect(told.toSorted()).to.deep.equal([
        ['empty text', 'owner', 'empty'],
        ['null', 'owner', 'NULL'],
        ['too long', 'owner', 'too long'],
        ['wrong type', 'weight', 'type'],
      ]);
    });

    it('says so to people, with what follows from it', async () => {
      const { stdout } = await check();
      expect(stdout).to.contain(`${TableName}, index ByOwner on owner / weight: 9 records read`);
      expect(stdout).to.contain('In the index: 3. Left out: 2. Refused: 4.');
      expect(stdout).to.contain('refuses every write of them, also of other attributes');
    });

    if (engine === 'dynamodb-local') {
      it('is right: once the index is there, every write of those is refused, and of the others none', async () => {
        const { AttributeDefinitions, Create } = definition;
        const update = { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create }] };
        await client.send(new UpdateTableCommand(update));
        const touch = async (id: string): Promise<string> => {
          const values = { UpdateExpression: 'SET seen = :s', ExpressionAttributeValues: { ':s': { BOOL: true } } };
          const sent = client.send(new UpdateItemCommand({ TableName, Key: { id: { S: id } }, ...values }));
          const name = await sent.then(
            () => 'taken',
            (error: Error) => error.name,
          );
          // It takes no write while it makes the index.
          return name === 'InternalFailure' ? touch(id) : name;
        };
        const outcomes: string[] = [];
        for (const id of Object.keys(stored)) if ((await touch(id)) === 'ValidationException') outcomes.push(id);
        expect(outcomes).to.deep.equal(refused);
      });
    }
  });
}

for (const engine of engineNames) {
  describe(`on ${engine}`, () => {
    skipWithout(engine);
    checksIndexes(engine);
  });
}
