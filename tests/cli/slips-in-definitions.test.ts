import { expect } from 'chai';
import { runMain } from '../support/run-main.ts';
import { scratchProject } from '../support/scratch-project.ts';

const config = `import { defineProject } from 'tablewright';
import { notes } from './tables/notes.ts';
export default defineProject({ name: 'slips', tables: { notes } });
`;

const definition = (
  entity: string,
  pattern: string,
): string => `import { defineEntity, defineTable, is, text } from 'tablewright';

const note = defineEntity({ name: 'NOTE', description: 'A note', ${entity} });

export const notes = defineTable({
  name: 'notes',
  system: 'slips',
  namespace: 'notes',
  description: 'Notes',
  hash: 'id',
  entities: [note],
  patterns: { byId: { description: 'A note', params: { id: text() }, ${pattern}, result: [note], example: { id: 'n' } } },
});
`;

const attributes = 'attributes: { id: text() }';
const key = "key: [is('id', '{id}')]";

for (const type of ['module', 'commonjs'] as const) {
  describe(`a slip in a definition, in a package of type ${type}`, () => {
    const told = async (text: string): Promise<readonly string[]> => {
      const { root, remove } = await scratchProject({
        'package.json': JSON.stringify({ name: 'slips', type }),
        'tablewright.config.ts': config,
        'tables/notes.ts': text,
      });
      try {
        const { code, stderr } = await runMain(root, ['tables']);
        expect(code).to.equal(2);
        return stderr.trimEnd().split('\n');
      } finally {
        await remove();
      }
    };

    it('is told with its line, all problems of the definition, and the next step', async () => {
      expect(await told(definition(`${attributes}, derived: [], ttl: 'at'`, key))).to.deep.equal([
        'BAD_CATALOGUE: the tables cannot be loaded: tables/notes.ts:3: entity NOTE: the definition does not hold',
        '  - derived: there is no such option; there are name, description, attributes, constants, derive, ttl, references, companions, rules, keeper',
        '  - ttl: expected an object, found a text',
        "→ Correct its options; 'npx tsc' finds them in the file.",
      ]);
    });

    it('of a value of another kind is no fault of the toolkit', async () => {
      expect((await told(definition(attributes, "key: is('id', '{id}')"))).slice(0, 2)).to.deep.equal([
        'BAD_CATALOGUE: the tables cannot be loaded: tables/notes.ts:5: table notes: the definition does not hold',
        '  - patterns.byId.key: expected a list, found an object',
      ]);
    });

    it('that the language finds is told with its line, too', async () => {
      expect((await told(definition('attributes: { id: number() }', key)))[0]).to.equal(
        'BAD_CATALOGUE: the tables cannot be loaded: tables/notes.ts:3: number is not defined',
      );
    });
  });
}
