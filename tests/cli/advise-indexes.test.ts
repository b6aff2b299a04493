import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { type DynamoDBClient, dynamoClient } from '../../engine/aws/clients.ts';
import type { DynamoService } from '../../engine/local/local-engine.ts';
import type { Item } from '../../tables/model/attribute-value.ts';
import { openTestDynamo } from '../support/open-engine.ts';
import { runMain } from '../support/run-main.ts';
import { type ScratchProject, scratchProject } from '../support/scratch-project.ts';

/** One index that could be natural, one that a condition keeps sparse, one that is natural. */
const projectFile = `import { defineEntity, defineProject, defineTable, equals, isoTime, text } from 'tablewright';

const parcel = defineEntity({
  name: 'PARCEL',
  description: 'A parcel',
  attributes: { id: text(), owner: text(), at: isoTime(), state: text() },
  derive: [
    { set: { PK: 'PARCEL#{owner}#{id}' } },
    { set: { GSI1PK: 'OWNER#{owner}', GSI1SK: '{at}' } },
    { when: equals('state', 'lost'), set: { GSI2PK: '{owner}', GSI2SK: '{at}' } },
  ],
});
const parcels = defineTable({
  name: 'parcels',
  system: 'post',
  namespace: 'post.parcels',
  description: 'Parcels',
  hash: 'PK',
  indexes: {
    ByOwner: { hash: 'GSI1PK', range: 'GSI1SK' },
    Lost: { hash: 'GSI2PK', range: 'GSI2SK' },
    ByState: { hash: 'state', range: 'at' },
  },
  entities: [parcel],
});
export default defineProject({ name: 'post', tables: { parcels } });
`;

/** An item that stands in no index. */
const stranger = { PK: { S: 'ELSE#1' }, body: { S: 'x'.repeat(5_000) } };
const at = '2025-01-01T00:00:00Z';
function parcelOf(id: string, state: string, owner: Item = { owner: { S: 'ann' } }): Item {
  const lost = state === 'lost' ? { GSI2PK: { S: 'ann' }, GSI2SK: { S: at } } : {};
  const made = { GSI1PK: { S: 'OWNER#ann' }, GSI1SK: { S: at }, ...lost };
  return { PK: { S: `PARCEL#ann#${id}` }, id: { S: id }, at: { S: at }, state: { S: state }, ...owner, ...made };
}

describe('advise indexes', () => {
  let project: ScratchProject;
  let service: DynamoService;
  let client: DynamoDBClient;

  before(async () => {
    const settings = { 'Pulumi.dev.yaml': 'config:\n  aws:region: us-east-1\n' };
    project = await scratchProject({ 'tablewright.config.ts': projectFile, ...settings });
    service = await openTestDynamo();
    client = dynamoClient({ region: 'us-east-1', endpoint: service.endpoint });
    const { code, stderr } = await runMain(project.root, ['up', '--endpoint', service.endpoint]);
    expect(code, stderr).to.equal(0);
  });
  after(async () => {
    client?.destroy();
    await service?.release();
    await project?.remove();
  });

  const advise = (...more: readonly string[]) =>
    runMain(project.root, ['advise', 'indexes', '--table', 'parcels', '--endpoint', service.endpoint, ...more]);

  it('says so where there are no records to measure', async () => {
    expect((await advise()).stdout).to.contain('without GSI1PK, GSI1SK; there are no records to measure yet.');
  });

  it('tells of each index what it could be, what that saves and costs, and what stands in the way', async () => {
    // One record is older than its attribute: only its primary key, and what was made of it, tell the owner.
    const items = [parcelOf('1', 'sent'), parcelOf('2', 'lost'), parcelOf('3', 'sent'), parcelOf('4', 'sent', {})];
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { 'parcels-dev': requests } }));
    const { code, stdout } = await advise();
    expect(code).to.equal(0);
    expect(stdout.split('\n').map((line) => line.replace(/[\d,]+ read units, \$[\d.]+/, 'R read units, $C'))).to.deep.equal([
      'parcels-dev ByOwner (GSI1PK / GSI1SK): could be natural.',
      "  ByOwner: { hash: 'owner', range: 'at' }",
      '  without GSI1PK, GSI1SK: 41 bytes and 0.0 write units a record less; a million new records save 0 write units and $0.04 of storage a month (by 4 records).',
      '  Moving a million: 1,000,000 write units to fill the index, 4,000,000 to take the attributes out, 1,000,000 to fill in owner; R read units, $C on demand.',
      '  1 of 4 records lack owner: moving takes a backfill, too, so staying may be the better answer.',
      '',
      'parcels-dev Lost (GSI2PK / GSI2SK): stays.',
      '  sparse rule: PARCEL has it only under a condition; a natural index holds every record with the attributes',
      '  Of 4 records a natural index would hold 2 more than this one.',
      '',
      'parcels-dev ByState (state / at): natural already.',
      '',
      '3 indexes: 1 could stand on natural attributes, 1 do already, 1 stay as they are.',
      "One that is in use is moved under another name, both side by side: docs/indexes.md, 'Moving there'.",
      '',
    ]);
  });

  it('measures the records of an index alone, not what else its table holds', async () => {
    const measured = async () => {
      const { stdout } = await advise('--json');
      const { indexes } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
        indexes: { savings?: { sampled: number; looked: number; bytesPerItem: number; moving: object } }[];
      };
      const { sampled, looked, bytesPerItem } = indexes[0]?.savings ?? {};
      return { sampled, looked, bytesPerItem };
    };
    const before = await measured();
    expect(before).to.deep.include({ sampled: 4, looked: 4 });
    const put = [{ PutRequest: { Item: stranger } }];
    await client.send(new BatchWriteItemCommand({ RequestItems: { 'parcels-dev': put } }));
    expect(await measured()).to.deep.equal({ ...before, looked: 5 });
    const remove = [{ DeleteRequest: { Key: { PK: stranger.PK } } }];
    await client.send(new BatchWriteItemCommand({ RequestItems: { 'parcels-dev': remove } }));
  });

  it('counts the records that would become unwritable by it', async () => {
    const Item = parcelOf('5', 'sent', { owner: { NULL: true } });
    await client.send(new BatchWriteItemCommand({ RequestItems: { 'parcels-dev': [{ PutRequest: { Item } }] } }));
    expect((await advise()).stdout).to.contain(
      "\n  1 of 5 records could not be written any more once it is there: repair them first ('tablewright check index').\n",
    );
    const Key = { PK: { S: 'PARCEL#ann#5' } };
    await client.send(new BatchWriteItemCommand({ RequestItems: { 'parcels-dev': [{ DeleteRequest: { Key } }] } }));
  });

  it('gives programs the same', async () => {
    const { stdout } = await advise('--json', '--sample', '3');
    const { indexes } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
      indexes: { index: string; advice: { verdict: string }; savings?: { sampled: number; lacked: string[] } }[];
    };
    expect(indexes.map(({ index, advice }) => [index, advice.verdict])).to.deep.equal([
      ['ByOwner', 'could be natural'],
      ['Lost', 'stays'],
      ['ByState', 'natural'],
    ]);
    expect(indexes[0]?.savings?.sampled).to.equal(3);
  });

  it('refuses tables that are not there, and numbers that are none, with what to do', async () => {
    const unknown = await runMain(project.root, ['advise', 'indexes', '--table', 'parcel', '--endpoint', service.endpoint]);
    expect([unknown.code, unknown.stderr.split('\n')[0]]).to.deep.equal([2, 'UNKNOWN_NAME: there is no table parcel']);
    expect(unknown.stderr).to.contain('Did you mean parcels?');
    const { code, stderr } = await advise('--sample', 'many');
    expect([code, stderr]).to.deep.equal([
      2,
      "BAD_ARGUMENT: advise indexes: --sample: expected a whole number of at least 1, found many\n→ 'tablewright advise indexes --help' shows what it takes.\n",
    ]);
  });
});
