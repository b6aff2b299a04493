import { keyNames, type Table } from '../../../tables/model/table.ts';
import { projectFile } from '../project/load-project.ts';

export interface Skeleton {
  readonly id: string;
  readonly table: Table;
  /** What the project calls the table: `marketOrders`. */
  readonly exported: string;
  /** Where it is written, relative to the project. */
  readonly file: string;
}

/** A migration that is not run until it is written: its change says so, and the test with it. */
export function migrationSkeleton({ id, exported, file }: Skeleton): string {
  return `import { backfill, defineMigration, toWrite } from 'tablewright';
import project from '${upFrom(file)}${projectFile}';

const { ${exported} } = project.tables;

export default defineMigration({
  id: '${id}',
  description: 'What it does, in a sentence',
  // needs: { migrations: ['0001-another-one'], indexes: [{ table: ${exported}, indexes: ['an_index'] }] },
  steps: [
    // Index keys that the catalogue derives need no function: derivedBackfill({ name, table, entities }).
    backfill({
      name: 'what is filled in',
      table: ${exported},
      // entities: […], for some of the table's entities; all items when left out.
      reads: [],
      // writes: [], which spares reading whole items.
      // Pure: from the key and the attributes in reads to what is set and removed; undefined where nothing is to be done.
      // (item) => ({ set: { isOpen: { BOOL: scalarText(item.status) === 'Active' } }, remove: ['open'] })
      change: toWrite('${file} is not written yet: let its change say what is set and removed.'),
    }),
  ],
});
`;
}

/** From a file of the project to its root: `../`. */
function upFrom(file: string): string {
  return '../'.repeat(file.split('/').length - 1);
}

/** What runs a project's tests: mocha where the project has it, else what Node brings along. */
export type TestRunner = 'mocha' | 'node:test';

export interface TestOptions extends Skeleton {
  /** Where the test is written, relative to the project. */
  readonly test: string;
  readonly runner: TestRunner;
}

export function testSkeleton({ id, table, exported, file, test, runner }: TestOptions): string {
  const key = keyNames(table.key).map((name) => `${JSON.stringify(name)}: ${example(table, name)}`);
  return `import assert from 'node:assert/strict';
${runner === 'mocha' ? '' : "import { after, before, describe, it } from 'node:test';\n"}import { openTestBed, proveMigration, type TestBed } from 'tablewright/testing';
import migration from '${upFrom(test)}${file}';
import project from '${upFrom(test)}${projectFile}';

const { ${exported} } = project.tables;

describe('${id}', () => {
  let bed: TestBed;

  before(async () => {
    bed = await openTestBed(project, { tables: [${exported}] });
  });

  after(() => bed.close());

  it('changes what it should, nothing when run again, and is undone by a rollback', async () => {
    // An item as it is before: give it the attributes that the change reads.
    await bed.putRaw(${exported}, [{ ${key.join(', ')} }]);
    await proveMigration(bed, migration, async () => {
      const [item] = Object.values(await bed.content(${exported}));
      assert.ok(typeof item === 'object' && item !== null && 'the attribute that it sets' in item);
    });
  });
});
`;
}

function example({ key }: Table, name: string): string {
  const { type } = [key.hash, key.range].find((part) => part?.name === name) ?? key.hash;
  if (type === 'N') return "{ N: '1' }";
  return type === 'B' ? '{ B: new Uint8Array([1]) }' : "{ S: 'example' }";
}
