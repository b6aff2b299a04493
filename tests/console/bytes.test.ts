import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { catalogueOf, type Project } from '../../tables/model/project.ts';
import { parseStackConfig, physicalName } from '../../tables/model/stack/stack-config.ts';
import { type ServedConsole, serveConsole } from '../support/console-bed.ts';
import { runMain } from '../support/run-main.ts';
import { type ScratchProject, scratchProject } from '../support/scratch-project.ts';
import { startEngine, type TestEngine } from '../support/test-engine.ts';

const projectFile = `import { bytes, defineEntity, defineProject, defineTable, is, text } from 'tablewright';

const blob = defineEntity({ name: 'BLOB', description: 'A blob', attributes: { digest: bytes(), name: text() } });
const blobs = defineTable({
  name: 'blobs',
  system: 'store',
  namespace: 'store.blobs',
  description: 'Blobs by their digest',
  hash: 'digest',
  entities: [blob],
  patterns: {
    byDigest: {
      description: 'A blob by its digest',
      params: { digest: bytes() },
      key: [is('digest', '{digest}')],
      result: [blob],
      example: { digest: '/wE=' },
    },
  },
});
export default defineProject({ name: 'store', tables: { blobs } });
`;

describe('parameters of bytes', () => {
  let project: ScratchProject;
  let engine: TestEngine;
  let served: ServedConsole;
  const args = (): readonly string[] => ['--endpoint', engine.endpoint];

  before(async () => {
    project = await scratchProject({
      'tablewright.config.ts': projectFile,
      'Pulumi.dev.yaml': 'config:\n  aws:region: us-east-1\n',
    });
    const file = pathToFileURL(join(project.root, 'tablewright.config.ts')).href;
    const tables = catalogueOf(((await import(file)) as { readonly default: Project }).default);
    const config = parseStackConfig('dev', {}, tables, 'store');
    engine = await startEngine(tables, config);
    const Item = { digest: { B: Uint8Array.of(0xff, 0x01) }, name: { S: 'first' } };
    const [blobs] = tables;
    if (blobs === undefined) throw new Error('no table');
    await engine.client.send(new PutItemCommand({ TableName: physicalName(blobs, config), Item }));
    served = await serveConsole(project.root, args());
  });
  after(async () => {
    await served?.close();
    await engine?.close();
    await project?.remove();
  });

  const ask = async (digest: string) => {
    const response = await served.ask('/api/patterns/store.blobs.byDigest/read', { body: { params: { digest } } });
    return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
  };

  it('are typed as base64 in the console’s form as on the command line, and find the same', async () => {
    const { code, stdout } = await runMain(project.root, ['query', 'store.blobs.byDigest', 'digest=/wE=', '--json', ...args()]);
    expect([code, JSON.parse(stdout).name]).to.deep.equal([0, 'first']);
    const { status, answer } = await ask('/wE=');
    expect(status, JSON.stringify(answer)).to.equal(200);
    expect(JSON.stringify(answer.items)).to.contain('"first"');
    // The request to take away has them as JSON has bytes.
    expect(JSON.stringify(answer.explanation)).to.contain('{"B":"/wE="}');
  });

  it('that are no base64 are refused in both places, instead of other bytes being asked for', async () => {
    const wrong = 'digest: expected bytes as base64, found "ÿ not"';
    const { code, stderr } = await runMain(project.root, ['query', 'store.blobs.byDigest', 'digest=ÿ not', ...args()]);
    expect([code, stderr.includes(wrong)], stderr).to.deep.equal([2, true]);
    const { status, answer } = await ask('ÿ not');
    expect([status, answer.error, answer.problems]).to.deep.equal([422, 'BAD_ARGUMENT', [wrong]]);
  });
});
