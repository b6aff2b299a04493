import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { catalogueOf, type Project } from '../../tables/model/project.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { serveConsole } from '../support/console-bed.ts';
import { scratchProject } from '../support/scratch-project.ts';
import { startEngine } from '../support/test-engine.ts';

/** On the way from one index to another; nobody has moved the readers yet. */
const projectFile = `import { defineEntity, defineProject, defineTable, is, text } from 'tablewright';

const note = defineEntity({
  name: 'NOTE',
  description: 'A note',
  attributes: { id: text(), topic: text() },
  derive: [{ set: { madePK: 'TOPIC#{topic}' } }],
});
const notes = defineTable({
  name: 'notes',
  system: 'notes',
  namespace: 'notes',
  description: 'Notes',
  hash: 'id',
  indexes: { ByMade: { hash: 'madePK' }, ByTopic: { hash: 'topic' } },
  entities: [note],
  patterns: {
    ofTopic: {
      description: 'The notes of a topic',
      params: { topic: text() },
      index: 'ByTopic',
      key: [is('topic', '{topic}')],
      legacy: { index: 'ByMade', key: [is('madePK', 'TOPIC#{topic}')] },
      result: [note],
      example: { topic: 'a' },
    },
  },
});
export default defineProject({ name: 'notes', tables: { notes } });
`;

describe('a pattern that is still read by the index before', () => {
  it('is explained in the console by that index, as it was read', async () => {
    const settings = { 'Pulumi.dev.yaml': 'config:\n  aws:region: us-east-1\n' };
    const project = await scratchProject({ 'tablewright.config.ts': projectFile, ...settings });
    const loaded = await import(pathToFileURL(join(project.root, 'tablewright.config.ts')).href);
    const tables = catalogueOf((loaded as { readonly default: Project }).default);
    const engine = await startEngine(tables, parseStackConfig('dev', {}, tables, 'notes'));
    const served = await serveConsole(project.root, ['--endpoint', engine.endpoint]);
    try {
      const response = await served.ask('/api/patterns/notes.ofTopic/read', { body: { params: { topic: 'a' } } });
      const { explanation } = (await response.json()) as {
        readonly explanation: {
          readonly index: string;
          readonly why: readonly string[];
          readonly request: { IndexName: string };
        };
      };
      expect([explanation.index, explanation.request.IndexName]).to.deep.equal(['ByMade', 'ByMade']);
      expect(explanation.why.join(' ')).to.contain('ByMade');
    } finally {
      await served.close();
      await engine.close();
      await project.remove();
    }
  });
});
