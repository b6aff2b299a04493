import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { PreviewStep } from '../../../engine/core/tables/preview-digest.ts';
import { readPreview } from '../../../engine/core/tables/read-preview.ts';
import { standingCost, totalOf } from '../../../tables/model/stack/standing-cost.ts';
import { mockedStack } from '../../infra/support/booted-stacks.ts';
import { type ProjectFolder, projectFolder } from '../../support/project-folder.ts';
import { runMain } from '../../support/run-main.ts';

const type = 'aws:dynamodb/table:Table';
const index = (name: string, more: object = {}) => ({
  name,
  keySchemas: [{ attributeName: `${name}_pk`, keyType: 'HASH' }],
  projectionType: 'ALL',
  ...more,
});

const urn = (name: string) => `urn:pulumi:dev::tablewright::tablewright:dynamodb:DynamoTable$aws:dynamodb/table:Table::${name}`;

function step(op: string, before: object | undefined, after: object | undefined, more: Partial<PreviewStep> = {}): PreviewStep {
  const state = (inputs: object | undefined) =>
    inputs === undefined ? {} : { type, inputs: { name: 'orders', hashKey: 'id', ...inputs } };
  return {
    op,
    urn: urn('orders'),
    ...(before === undefined ? {} : { oldState: state(before) }),
    ...(after === undefined ? {} : { newState: state(after) }),
    ...more,
  };
}

describe('a preview of Pulumi, in words', function () {
  this.timeout(60_000);

  it('tells indexes by their names: two that changed places are not swapped', () => {
    const before = { globalSecondaryIndexes: [index('a'), index('b')] };
    const after = { globalSecondaryIndexes: [index('b'), index('c'), index('a')] };
    expect(readPreview({ steps: [step('update', before, after)] }).tables).to.deep.equal(['orders: the index c is added']);
  });

  it('names settings with what they were and become', () => {
    const { tables, losses } = readPreview({
      steps: [step('update', { ttl: { enabled: false } }, { ttl: { enabled: true, attributeName: 'ttl' } })],
    });
    expect(tables).to.deep.equal(['orders: ttl turns from {"enabled":false} to {"attributeName":"ttl","enabled":true}']);
    expect(losses).to.deep.equal([]);
  });

  it('finds what holds things beside tables: key, bucket, vault', () => {
    const other = (op: string, kind: string, name: string): PreviewStep => {
      return { op, urn: `urn:pulumi:dev::tablewright::${kind}::${name}`, oldState: { type: kind, inputs: {} } };
    };
    const steps = [
      other('delete', 'aws:kms/key:Key', 'tables'),
      other('replace', 'aws:s3/bucket:Bucket', 'exports'),
      other('create-replacement', 'aws:s3/bucket:Bucket', 'exports'),
      other('update', 'aws:backup/vault:Vault', 'backups'),
      other('delete', 'aws:cloudwatch/metricAlarm:MetricAlarm', 'reads'),
    ];
    expect(readPreview({ steps }).losses).to.deep.equal([
      'tables: the key is deleted; once its window has passed, what it encrypts can be read no more',
      'exports: the bucket is deleted with its objects',
    ]);
  });

  it('takes an index for the same whose keys stand in the older form, or whose attributes stand in another order', () => {
    const include = { projectionType: 'INCLUDE' };
    const before = { name: 'a', hashKey: 'a_pk', ...include, nonKeyAttributes: ['x', 'y'] };
    const after = index('a', { ...include, nonKeyAttributes: ['y', 'x'] });
    const { losses } = readPreview({
      steps: [step('update', { globalSecondaryIndexes: [before] }, { globalSecondaryIndexes: [after] })],
    });
    expect(losses).to.deep.equal([]);
  });

  it('finds what loses data: a table deleted or replaced, an index dropped or built anew', () => {
    const wider = { globalSecondaryIndexes: [index('a', { projectionType: 'KEYS_ONLY' })] };
    const steps = [
      step('delete', {}, undefined, { urn: urn('one') }),
      step('create-replacement', {}, { hashKey: 'other' }, { urn: urn('two') }),
      step('replace', {}, { hashKey: 'other' }, { urn: urn('two'), replaceReasons: ['hashKey'] }),
      step('delete-replaced', {}, {}, { urn: urn('two') }),
      step('update', { globalSecondaryIndexes: [index('a'), index('b')] }, { globalSecondaryIndexes: [index('b')] }),
      step('update', { globalSecondaryIndexes: [index('a')] }, wider),
      // What a deployment that failed left to be deleted: no step of the whole.
      step('delete-replaced', {}, undefined, { urn: urn('three') }),
    ];
    const { losses, tables } = readPreview({ steps });
    expect(losses).to.deep.equal([
      'orders: the table is deleted with all its items',
      'orders: the table is replaced and all its items are lost: hashKey',
      'orders: the index a is dropped, queries on it fail',
      'orders: the index a is built anew, queries on it fail meanwhile',
      'orders: the table is replaced and all its items are lost',
    ]);
    expect(tables.filter((line) => line === 'orders: replaced')).to.have.length(2);
  });

  it('says of a table that was adopted what Pulumi changes, and nothing of what it only reads otherwise', () => {
    const read = {
      __defaults: [],
      attributes: [{ name: 'id', type: 'S' }],
      billingMode: 'PAY_PER_REQUEST',
      globalSecondaryIndexes: [
        { name: 'b', hashKey: 'b_pk', nonKeyAttributes: [], projectionType: 'ALL', readCapacity: 0, writeCapacity: 0 },
        { name: 'a', hashKey: 'a_pk', keySchemas: [], onDemandThroughput: { maxReadRequestUnits: -1 }, projectionType: 'ALL' },
      ],
      readCapacity: 0,
      writeCapacity: 0,
      streamEnabled: false,
      tags: { Project: 'desk' },
      tagsAll: { Project: 'desk' },
      ttl: { attributeName: '', enabled: false },
    };
    const wanted = {
      attributes: [{ name: 'id', type: 'S' }],
      billingMode: 'PAY_PER_REQUEST',
      globalSecondaryIndexes: [index('a'), index('b')],
      serverSideEncryption: { enabled: true, kmsKeyArn: '04da6b54-80e4-46f7-96ec-b56ff0331ba9' },
      tags: { Table: 'orders' },
      tagsAll: { Table: 'orders' },
    };
    const diffReasons = ['globalSecondaryIndexes', 'serverSideEncryption', 'tags', 'tagsAll'];
    const { tables, losses } = readPreview({ steps: [step('update', read, wanted, { diffReasons })] });
    expect(tables).to.deep.equal([
      'orders: tags turns from {"Project":"desk"} to {"Table":"orders"}',
      'orders: serverSideEncryption turns from nothing to {"enabled":true,"kmsKeyArn":"known after the deployment"}',
    ]);
    expect(losses).to.deep.equal([]);
  });

  it('tells another capacity of an index', () => {
    const of = (more: object) => ({ globalSecondaryIndexes: [index('a', more)] });
    const changes = (before: object, after: object) => readPreview({ steps: [step('update', of(before), of(after))] }).tables;
    const said = ['orders: the index a is given other capacity'];
    expect(changes({ readCapacity: 5 }, { readCapacity: 6 })).to.deep.equal(said);
    expect(changes({}, { onDemandThroughput: { maxReadRequestUnits: 9 } })).to.deep.equal(said);
    expect(
      changes({ onDemandThroughput: { maxReadRequestUnits: 9 } }, { onDemandThroughput: { maxReadRequestUnits: -1 } }),
    ).to.deep.equal(said);
    expect(changes({ readCapacity: 0 }, {})).to.deep.equal([]);
  });

  it('of a first deployment of dev tells every table, the price that the docs have, and no loss', async () => {
    const { resources } = await mockedStack('dev');
    const steps = resources.map(({ type: kind, name, inputs }) => {
      return { op: 'create', urn: `urn:pulumi:dev::tablewright::${kind}::${name}`, newState: { type: kind, inputs } };
    });
    const { tables, cost, losses } = readPreview({ steps });
    expect(tables).to.have.length(13).and.to.include('orders-dev: created');
    const docs = standingCost(resources.map((after) => ({ before: undefined, after })));
    expect(cost).to.deep.equal(docs);
    expect(Math.round(totalOf(cost))).to.equal(30);
    expect(losses).to.deep.equal([]);
  });

  it('prices what comes and what goes', () => {
    const alarm = { type: 'aws:cloudwatch/metricAlarm:MetricAlarm', inputs: { metricName: 'x' } };
    const provisioned = { billingMode: 'PROVISIONED', readCapacity: 10, writeCapacity: 20 };
    const { cost, others } = readPreview({
      steps: [
        { op: 'create', urn: 'u', newState: alarm },
        { op: 'create', urn: 'u', newState: { type: 'aws:kms/key:Key', inputs: {} } },
        { op: 'delete', urn: 'u', oldState: { type: 'aws:cloudwatch/dashboard:Dashboard', inputs: {} } },
        { op: 'same', urn: 'u', oldState: alarm, newState: alarm },
        step('update', { billingMode: 'PAY_PER_REQUEST' }, provisioned),
      ],
    });
    expect(others).to.deep.equal(['create Key ×1', 'create MetricAlarm ×1', 'delete Dashboard ×1']);
    expect(totalOf(cost)).to.be.closeTo(0.1 + 1 - 3 + (10 * 0.00013 + 20 * 0.00065) * 730, 0.001);
  });
});

describe('the price of a replacement', () => {
  it('is what it becomes less what it was, though it takes three steps', () => {
    const dashboard = { type: 'aws:cloudwatch/dashboard:Dashboard', inputs: {} };
    const of = { urn: 'urn:pulumi:dev::tablewright::aws:cloudwatch/dashboard:Dashboard::oms' };
    const { cost, others } = readPreview({
      steps: [
        { op: 'create-replacement', ...of, oldState: dashboard, newState: dashboard },
        { op: 'replace', ...of, oldState: dashboard, newState: dashboard },
        { op: 'delete-replaced', ...of, oldState: dashboard },
      ],
    });
    expect(totalOf(cost)).to.equal(0);
    expect(others).to.deep.equal(['replace Dashboard ×1']);
  });
});

describe('tablewright preview', () => {
  let folder: ProjectFolder;
  let scratch = '';
  before(async () => {
    folder = await projectFolder({ dev: 'config:\n  aws:region: us-east-1\n' });
    scratch = await mkdtemp(join(tmpdir(), 'tablewright-preview-'));
  });
  after(async () => {
    await folder?.remove();
    await rm(scratch, { recursive: true, force: true });
  });

  const preview = async (content: unknown) => {
    const file = join(scratch, 'preview.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return runMain(folder.root, ['preview', '--stack', 'dev', '--from', file]);
  };

  it('ends with 0 where nothing is lost, and with 1 where something is', async () => {
    const harmless = await preview({ steps: [step('create', undefined, {})] });
    expect([harmless.code, harmless.stdout.split('\n')[0]]).to.deep.equal([0, 'orders: created']);
    expect(harmless.stdout).to.contain('Nothing is lost.');
    const lossy = await preview({ steps: [step('delete', {}, undefined)] });
    expect(lossy.code).to.equal(1);
    expect(lossy.stdout).to.contain('Data would be lost:\n  - orders: the table is deleted with all its items');
    expect((await preview({ steps: [] })).stdout).to.equal('Stack dev: nothing changes.\n');
    // As Pulumi says it: without a member that has no content.
    expect((await preview({ duration: 1, changeSummary: { same: 191 } })).stdout).to.equal('Stack dev: nothing changes.\n');
  });

  it('refuses what is no preview', async () => {
    const { code, stderr } = await preview('Previewing update (dev):');
    expect(code).to.equal(2);
    expect(stderr).to.match(/^BAD_ARGUMENT: .*expected the JSON of pulumi preview --json, found something else\n→ Write it with/);
  });

  it('takes no other JSON for a preview in which nothing changes', async () => {
    for (const other of [{}, { resources: [] }, [], null, 7]) {
      const { code, stderr } = await preview(other);
      expect([code, stderr.split(':')[0]], JSON.stringify(other)).to.deep.equal([2, 'BAD_ARGUMENT']);
    }
  });

  it('refuses one that failed, with what Pulumi says, and one of another stack', async () => {
    const failed = await preview({
      diagnostics: [
        { severity: 'warning', message: 'a new version is there' },
        { severity: 'error', message: '<{%reset%}>DANGEROUS_CHANGE: the catalogue differs<{%reset%}>\n' },
      ],
    });
    expect(failed.code).to.equal(1);
    expect(failed.stderr).to.contain(
      'the preview failed, so it does not show what would change\n  - DANGEROUS_CHANGE: the catalogue differs\n',
    );
    const other = await preview({ steps: [{ op: 'same', urn: 'urn:pulumi:prod::tablewright::aws:kms/key:Key::stack' }] });
    expect(other.code).to.equal(2);
    expect(other.stderr).to.contain('expected a preview of the stack dev, found one of prod');
  });

  it('refuses one that ended before Pulumi could count, without the colours of its program', async () => {
    const crash = { severity: 'info#err', message: '\u001b[31mTypeError: x is not a function\u001b[39m\n    at program.ts:7\n' };
    const ended = await preview({ config: { 'aws:region': 'us-east-1' }, diagnostics: [crash] });
    expect(ended.code).to.equal(1);
    expect(ended.stderr).to.contain('change\n  - TypeError: x is not a function\n  -     at program.ts:7\n→');
    // A warning of Node goes the same way, and changes nothing.
    const warned = await preview({ diagnostics: [crash], changeSummary: { same: 191 } });
    expect([warned.code, warned.stdout]).to.deep.equal([0, 'Stack dev: nothing changes.\n']);
  });

  it('refuses Pulumi’s other forms of JSON, which do not show what changes', async () => {
    const others: readonly (readonly [found: string, given: unknown])[] = [
      // pulumi preview --output json
      ['something else', { result: 'succeeded', duration: 1, summary: { create: 2, delete: 1 } }],
      // A stream of events, as PULUMI_ENABLE_STREAMING_JSON_PREVIEW gives it.
      ['something else', '{"sequence":0,"preludeEvent":{}}\n{"sequence":1,"summaryEvent":{}}\n'],
      ['counts of changes (delete 1) without the steps', { changeSummary: { delete: 1, same: 190 } }],
      [
        'counts of changes (delete 1) without the steps',
        { steps: [{ op: 'same', urn: urn('a') }], changeSummary: { delete: 1 } },
      ],
      // pulumi events summary
      [
        'steps without what is there and what becomes of it: update of orders',
        { version: 1, steps: [{ op: 'update', urn: urn('orders'), type, keys: null }], changeSummary: { update: 1 } },
      ],
      ['steps without op and urn', { steps: [null] }],
      ['steps without op and urn', { steps: [{ op: 'update' }] }],
      ['something else', { changeSummary: null }],
    ];
    for (const [found, given] of others) {
      const { code, stderr } = await preview(given);
      expect(code, JSON.stringify(given)).to.equal(2);
      expect(stderr).to.contain(`expected the JSON of pulumi preview --json, found ${found}\n→ Write it with`);
    }
  });

  it('takes a file that begins with a byte order mark', async () => {
    expect((await preview('\uFEFF{"changeSummary":{"same":3}}')).code).to.equal(0);
  });

  describe('without a file', () => {
    /** Stands for npx: answers as Pulumi, and writes down how it was called. */
    async function withPulumi(answer: unknown, code: number) {
      await writeFile(join(scratch, 'answer'), typeof answer === 'string' ? answer : JSON.stringify(answer));
      const script = `#!/bin/sh\necho "$@ [$PULUMI_ENABLE_STREAMING_JSON_PREVIEW]" > ${scratch}/called\ncat ${scratch}/answer\nexit ${code}\n`;
      await writeFile(join(scratch, 'npx'), script, { mode: 0o755 });
      const env = { PATH: `${scratch}:${process.env.PATH}`, PULUMI_ENABLE_STREAMING_JSON_PREVIEW: '1' };
      return runMain(folder.root, ['preview', '--stack', 'dev'], { env });
    }

    it('runs Pulumi for the whole preview, whatever the environment says of streams', async () => {
      const { code, stdout } = await withPulumi({ steps: [step('delete', {}, undefined)] }, 0);
      expect(code).to.equal(1);
      expect(stdout).to.contain('orders: the table is deleted with all its items');
      expect(await readFile(join(scratch, 'called'), 'utf8')).to.equal('pulumi preview --json -s dev []\n');
    });

    it('says so where there is no npx', async () => {
      const { code, stderr } = await runMain(folder.root, ['preview', '--stack', 'dev'], { env: { PATH: folder.root } });
      expect(code).to.equal(1);
      expect(stderr).to.contain('CHECK_FAILED: npx, which runs pulumi preview, cannot be started\n  - spawn npx ENOENT\n→ Put');
    });

    it('tells what the program said where Pulumi fails, not the JSON around it', async () => {
      const message = '\u001b[31mDANGEROUS_CHANGE: the catalogue differs\u001b[39m';
      const { code, stderr } = await withPulumi({ diagnostics: [{ severity: 'error', message }], changeSummary: {} }, 255);
      expect(code).to.equal(1);
      expect(stderr).to.contain(
        "CHECK_FAILED: pulumi preview ended with code 255\n  - DANGEROUS_CHANGE: the catalogue differs\n→ Run 'npx pulumi preview -s dev'",
      );
      expect((await withPulumi('error: no stack named dev', 6)).stderr).to.contain('\n  - error: no stack named dev\n');
    });
  });
});
