import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { prove } from '../../tables/model/prove.ts';
import { physicalName } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { tables } from '../support/project.ts';
import { runMain } from '../support/run-main.ts';
import { type ScratchProject, scratchProject } from '../support/scratch-project.ts';
import { repository, type SeedBench, seedBench } from '../support/seed-bench.ts';
import { useEngine } from '../support/test-engine.ts';

const stackFile = 'config:\n  aws:region: us-east-1\n';
const emptyProject =
  "import { defineProject } from 'tablewright';\nexport default defineProject({ name: 'begun', tables: {} });\n";

const load = async (root: string, file: string): Promise<Readonly<Record<string, Table>>> =>
  (await import(pathToFileURL(join(root, file)).href)) as Readonly<Record<string, Table>>;

/** The project's file with these tables. */
const projectWith = (files: readonly { readonly file: string; readonly exported: string }[]): string =>
  [
    "import { defineProject } from 'tablewright';",
    ...files.map(({ file, exported }) => `import { ${exported} } from './${file}';`),
    `export default defineProject({ name: 'tablewright', tables: { ${files.map(({ exported }) => exported).join(', ')} } });`,
  ].join('\n');

describe('table new', () => {
  let project: ScratchProject;
  before(async () => {
    project = await scratchProject({ 'tablewright.config.ts': emptyProject, 'Pulumi.test.yaml': stackFile });
  });
  after(() => project.remove());

  it('writes a definition with its keys, indexes and a pattern for each, which proves', async () => {
    const words = [
      'table',
      'new',
      'audit-log',
      '--hash',
      'PK',
      '--range',
      'at:N',
      '--index',
      'ByActor=actor,at:N',
      '--ttl',
      'expires',
    ];
    const { code, stdout, stderr } = await runMain(project.root, words);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain('wrote tables/audit-log.ts').and.to.contain("import { auditLog } from './tables/audit-log.ts';");
    const { auditLog } = await load(project.root, 'tables/audit-log.ts');
    expect(auditLog).to.deep.include({
      name: 'audit-log',
      key: { hash: { name: 'PK', type: 'S' }, range: { name: 'at', type: 'N' } },
      ttl: 'expires',
      indexes: [{ name: 'ByActor', hash: [{ name: 'actor', type: 'S' }], range: [{ name: 'at', type: 'N' }], projection: 'ALL' }],
    });
    expect(prove([auditLog as Table])).to.deep.equal([]);
    expect(Object.values(auditLog?.patterns ?? {}).map(({ index }) => index)).to.deep.equal([undefined, 'ByActor']);
  });

  it('takes several attributes for one purpose of an index', async () => {
    const words = ['table', 'new', 'places', '--hash', 'id', '--index', 'ByPlace=hall+shelf:N,row+at:N'];
    const { code, stderr } = await runMain(project.root, words);
    expect(code, stderr).to.equal(0);
    const [places] = Object.values(await load(project.root, 'tables/places.ts')).filter(
      (one) => 'patterns' in (one as object),
    ) as Table[];
    expect(places?.indexes.map(({ hash, range }) => [hash, range])).to.deep.equal([
      [
        [
          { name: 'hall', type: 'S' },
          { name: 'shelf', type: 'N' },
        ],
        [
          { name: 'row', type: 'S' },
          { name: 'at', type: 'N' },
        ],
      ],
    ]);
    expect(prove([places as Table])).to.deep.equal([]);
    const many = await runMain(project.root, ['table', 'new', 'more', '--hash', 'id', '--index', 'Wide=a+b+c+d+e']);
    expect(many.stderr).to.contain('index Wide has 5 hash attributes, DynamoDB takes at most 4');
    const empty = await runMain(project.root, ['table', 'new', 'more', '--hash', 'id', '--index', 'Wide=a+,b']);
    expect([empty.code, empty.stderr.includes('ByPlace=hall+shelf')]).to.deep.equal([2, true]);
  });

  it('overwrites nothing, and says what to do', async () => {
    await writeFile(join(project.root, 'mine.ts'), '// mine');
    const { code, stderr } = await runMain(project.root, ['table', 'new', 'other', '--hash', 'id', '--out', 'mine.ts']);
    expect([code, stderr]).to.deep.equal([
      1,
      'FILE_FAILED: mine.ts is there already, and nothing is overwritten\n→ Give another file with --out, or move that one away.\n',
    ]);
    expect(await readFile(join(project.root, 'mine.ts'), 'utf8')).to.equal('// mine');
  });

  it('writes where it is told from where it is run, and gives the import from the project file', async () => {
    const out = join(project.root, 'drafts/class.ts');
    const { code, stdout, stderr } = await runMain(project.root, ['table', 'new', 'class', '--hash', 'id:B', '--out', out]);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain("import { classTable } from './drafts/class.ts';");
    const { classTable } = await load(project.root, 'drafts/class.ts');
    expect(prove([classTable as Table])).to.deep.equal([]);
  });

  it('writes nothing that could not be made, and says all that is wrong', async () => {
    const keys = [
      '--hash',
      'PK',
      '--range',
      'PK',
      '--index',
      'ByDay=day,day',
      '--index',
      'ByDay=at:N',
      '--index',
      'ByAt=at',
      '--ttl',
      'day',
    ];
    const { code, stderr } = await runMain(project.root, ['table', 'new', 'wrong', ...keys]);
    expect([code, stderr.split('\n')]).to.deep.equal([
      2,
      [
        'BAD_ARGUMENT: wrong: DynamoDB would not make such a table',
        '  - index ByDay is declared twice',
        '  - the table names PK more than once in its key',
        '  - index ByDay names day more than once in its key',
        '  - the key at is declared with the types N and S',
        '  - the key day has type S, and the time of --ttl is a number',
        '→ Correct --hash, --range, --index and --ttl; nothing was written.',
        '',
      ],
    ]);
  });

  it('refuses the name of a table that the project has', async () => {
    const other = await scratchProject({
      'tablewright.config.ts': projectWith([{ file: 'notes.ts', exported: 'noteTable' }]),
      'notes.ts': [
        "import { defineEntity, defineTable, text } from 'tablewright';",
        "const note = defineEntity({ name: 'NOTE', description: 'A note', attributes: { id: text() } });",
        "export const noteTable = defineTable({ name: 'note', system: 'notes', namespace: 'notes', description: 'Notes',",
        "  hash: 'id', entities: [note], patterns: {} });",
      ].join('\n'),
    });
    try {
      const { code, stderr } = await runMain(other.root, ['table', 'new', 'note', '--hash', 'id']);
      expect([code, stderr.split('\n')[0]]).to.deep.equal([2, 'BAD_ARGUMENT: note: the catalogue has a table of this name']);
    } finally {
      await other.remove();
    }
  });
});

describe('table from-aws', function () {
  this.timeout(120_000);
  const engine = useEngine();
  let bench: SeedBench;
  let project: ScratchProject;
  const fixtures = ['oms', 'markets', 'backtest', 'order-management'];
  const own = tables.filter(({ system }) => system !== 'tablewright');

  before(async () => {
    bench = seedBench(engine());
    for (const name of fixtures) await bench.load(repository, name);
    project = await scratchProject({ 'tablewright.config.ts': emptyProject, 'Pulumi.test.yaml': stackFile });
  });
  after(async () => {
    await bench.close();
    await project.remove();
  });

  const run = (root: string, ...words: readonly string[]) =>
    runMain(root, [...words, '--stack', 'test', '--endpoint', engine().endpoint]);

  it('gives a project in which doctor finds nothing wrong, for all of our own tables', async () => {
    const made: { file: string; exported: string }[] = [];
    for (const table of own) {
      const name = physicalName(table, engine().config);
      const { code, stdout, stderr } = await run(project.root, 'table', 'from-aws', name, '--json');
      expect(code, `${name}: ${stderr}`).to.equal(0);
      const told = JSON.parse(stdout) as { file: string; exported: string; table: string; sample: { complete: boolean } };
      expect([told.table, told.sample.complete]).to.deep.equal([table.name, true]);
      made.push(told);
    }
    const texts = await Promise.all(made.map(async ({ file }) => [file, await readFile(join(project.root, file), 'utf8')]));
    const next = await scratchProject({
      ...Object.fromEntries(texts),
      'tablewright.config.ts': projectWith(made),
      'Pulumi.test.yaml': stackFile,
    });
    try {
      const doctor = await run(next.root, 'doctor', '--json');
      expect(doctor.stderr).to.equal('');
      const { differences } = JSON.parse(doctor.stdout) as { readonly differences: readonly { readonly what: string }[] };
      expect(differences).to.deep.equal([]);
    } finally {
      await next.remove();
    }
  });

  it('says what it read, stays within the sample, and has no value of an item in the file', async () => {
    const secret = 'Zaphod 42';
    for (let at = 0; at < 60; at += 1) {
      const Item = { PK: { S: `GUEST#g${at}` }, SK: { S: `VISIT#v${at}` }, guest: { S: `g${at}` }, name: { S: secret } };
      await putInto('visits-test', Item);
    }
    const { code, stdout, stderr } = await run(
      project.root,
      'table',
      'from-aws',
      'visits-test',
      '--sample',
      '16',
      '--system',
      'inn',
    );
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^Read {7}\d+ items, [\d.]+ read units\n/);
    const text = await readFile(join(project.root, 'tables/visits.ts'), 'utf8');
    expect(text).not.to.contain('Zaphod').and.not.to.match(/g\d+'/);
    expect(text).to.contain("PK: 'GUEST#{guest}'").and.to.contain("system: 'inn'").and.to.contain('VISIT#{visit_key}');
  });

  async function putInto(TableName: string, Item: Record<string, { S: string }>): Promise<void> {
    await engine()
      .client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
          KeySchema: [
            { AttributeName: 'PK', KeyType: 'HASH' },
            { AttributeName: 'SK', KeyType: 'RANGE' },
          ],
        }),
      )
      .catch((error: Error) => {
        if (error.name !== 'ResourceInUseException') throw error;
      });
    await engine().client.send(new PutItemCommand({ TableName, Item }));
  }

  it('says where it looked for a table that is not there', async () => {
    const { code, stderr } = await run(project.root, 'table', 'from-aws', 'nowhere');
    expect([code, stderr]).to.deep.equal([
      2,
      [
        `UNKNOWN_NAME: nowhere: there is no such table at ${engine().endpoint}`,
        '→ Give the name as DynamoDB has it, with the suffix of its stack, and --stack, --region or --endpoint for where it is. DynamoDB Local shows only tables that were made with the same access key and region, unless it runs with -sharedDb.\n',
      ].join('\n'),
    ]);
  });

  it('leads to patterns on binary keys, which up tries and query answers', async () => {
    const blobs = await scratchProject({ 'tablewright.config.ts': emptyProject, 'Pulumi.dev.yaml': stackFile });
    const there = ['--endpoint', engine().endpoint];
    try {
      const made = await runMain(blobs.root, ['table', 'new', 'blobs', '--hash', 'digest:B', '--index', 'BySum=sum:B']);
      expect(made.code, made.stderr).to.equal(0);
      const next = await scratchProject({
        'tables/blobs.ts': await readFile(join(blobs.root, 'tables/blobs.ts'), 'utf8'),
        'tablewright.config.ts': projectWith([{ file: 'tables/blobs.ts', exported: 'blobs' }]),
        'Pulumi.dev.yaml': stackFile,
      });
      const up = await runMain(next.root, ['up', ...there]);
      expect([up.code, up.stderr]).to.deep.equal([0, '']);
      expect(up.stdout).to.contain(
        '0 of 2 access patterns found their records, without a Scan; 2 of tables that have no records yet.',
      );
      const Item = { digest: { B: new Uint8Array([1, 2]) }, sum: { B: new Uint8Array([3]) } };
      await engine().client.send(new PutItemCommand({ TableName: 'blobs-dev', Item }));
      const found = await runMain(next.root, ['query', 'blobs.blobRecordInBySum', 'sum=Aw==', ...there]);
      expect(found.code, found.stderr).to.equal(0);
      expect(found.stdout)
        .to.match(/^digest {2}2 bytes$/m)
        .and.to.match(/^sum {5}1 byte$/m);
      await next.remove();
    } finally {
      await blobs.remove();
    }
  });

  it('takes a region instead of a stack', async () => {
    const words = [
      'table',
      'from-aws',
      'control-test',
      '--region',
      'eu-west-1',
      '--endpoint',
      engine().endpoint,
      '--out',
      'here.ts',
    ];
    const { code, stderr } = await runMain(project.root, words);
    expect(code, stderr).to.equal(0);
    expect(await readFile(join(project.root, 'here.ts'), 'utf8')).to.contain("name: 'control-test'");
  });
});
