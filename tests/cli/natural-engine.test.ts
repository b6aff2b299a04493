import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { dynamoClient } from '../../engine/aws/clients.ts';
import { openStack } from '../../engine/cli/open-stack.ts';
import { Output } from '../../engine/cli/output.ts';
import { openDynamo } from '../../engine/local/local-engine.ts';
import { openTestBed } from '../../engine/testing/test-bed.ts';
import { text } from '../../tables/model/attributes.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { is } from '../../tables/model/pattern.ts';
import { catalogueOf, defineProject } from '../../tables/model/project.ts';
import { defineTable } from '../../tables/model/table.ts';
import { skipWithout } from '../support/java.ts';
import { runMain } from '../support/run-main.ts';
import { type ScratchProject, scratchProject } from '../support/scratch-project.ts';

const projectFile = `import { defineEntity, defineProject, defineTable, text } from 'tablewright';

const match = defineEntity({ name: 'MATCH', description: 'A match', attributes: { id: text(), region: text(), round: text() } });
const matches = defineTable({
  name: 'matches',
  system: 'games',
  namespace: 'games.matches',
  description: 'Matches',
  hash: 'id',
  indexes: { ByRound: { hash: ['region', 'round'] } },
  entities: [match],
});
export default defineProject({ name: 'games', tables: { matches } });
`;

const match = defineEntity({
  name: 'MATCH',
  description: 'A match',
  attributes: { id: text(), region: text(), round: text() },
});
const matches = defineTable({
  ...{ name: 'matches', system: 'games', namespace: 'games.matches', description: 'Matches', hash: 'id' },
  indexes: { ByRound: { hash: ['region', 'round'] } },
  entities: [match],
  patterns: {
    ofRound: {
      description: 'Matches of a round',
      params: { region: text(), round: text() },
      index: 'ByRound',
      key: [is('region', '{region}'), is('round', '{round}')],
      result: [match],
      example: { region: 'north', round: 'final' },
    },
  },
});
const project = defineProject({ name: 'games', tables: { matches } });

describe('a catalogue with index keys of several attributes', () => {
  let scratch: ScratchProject;
  before(async () => {
    const settings = { 'Pulumi.dev.yaml': 'config:\n  aws:region: us-east-1\n' };
    scratch = await scratchProject({ 'tablewright.config.ts': projectFile, ...settings });
  });
  after(() => scratch?.remove());

  it('is refused by the embedded engine before anything is made, and nothing that was there is thrown away for it', async () => {
    const refused = await runMain(scratch.root, ['up', '--engine', 'dynoxide']);
    expect([refused.code, refused.stdout]).to.deep.equal([2, '']);
    expect(refused.stderr).to.equal(
      "NOT_OFFERED: dynoxide has no index keys of several attributes, and would answer wrongly\n  - matches.ByRound has such a key\n→ Use '--engine dynamodb-local', which has them and needs Java 17.\n",
    );
    expect(await readdir(scratch.root)).not.to.include('.tablewright');
    await mkdir(join(scratch.root, '.tablewright'));
    await writeFile(join(scratch.root, '.tablewright/kept'), 'of somebody');
    expect((await runMain(scratch.root, ['up', '--fresh', '--engine', 'dynoxide'])).code).to.equal(2);
    expect(await readdir(join(scratch.root, '.tablewright'))).to.deep.equal(['kept']);
  });

  describe('behind an address', () => {
    skipWithout('dynoxide');

    it('is refused by a server that answers it wrongly, before anything is made there', async () => {
      const service = await openDynamo({ data: { kind: 'memory' }, engine: 'dynoxide' });
      const client = dynamoClient({ region: 'us-east-1', endpoint: service.endpoint });
      try {
        const { code, stderr } = await runMain(scratch.root, ['up', '--endpoint', service.endpoint]);
        expect(code).to.equal(2);
        expect(stderr.split('\n').slice(0, 2)).to.deep.equal([
          `NOT_OFFERED: ${service.endpoint} does not offer index keys of several attributes`,
          '  - index keys of several attributes: the catalogue has indexes with them; DynamoDB Local 3.3.0 has it',
        ]);
        expect((await client.send(new ListTablesCommand({}))).TableNames).to.deep.equal([]);
      } finally {
        client.destroy();
        await service.release();
      }
    });
  });

  it('is never tried on AWS: nothing is sent there', async () => {
    const nothing = { write: () => undefined, writeError: () => undefined };
    const url = 'https://dynamodb.us-east-1.amazonaws.com';
    const context = {
      ...{ cwd: scratch.root, root: scratch.root, env: {}, signal: AbortSignal.abort('something was sent') },
      ...{ project, catalogue: catalogueOf(project), output: new Output({ ...nothing, json: false, quiet: true } as never) },
      common: { stack: 'dev', endpoint: url, endpoints: { dynamodb: { url, source: '--endpoint' } } },
    };
    const stack = await openStack(context as never);
    try {
      expect(await stack.lacks()).to.equal(undefined);
    } finally {
      await stack.close();
    }
  });

  describe('in a test bed', () => {
    skipWithout('dynamodb-local');

    it('gets the engine that answers it rightly', async () => {
      const bed = await openTestBed(project);
      try {
        const inputs = ['semi', 'final'].map((round) => ({ id: round, region: 'north', round }));
        await bed.put(matches, match, inputs);
        const found = await bed.read(matches.patterns.ofRound, { region: 'north', round: 'final' });
        expect(found.map(({ id }) => id)).to.deep.equal(['final']);
      } finally {
        await bed.close();
      }
    }).timeout(60_000);
  });
});
