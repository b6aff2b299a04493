import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type PreviewStep, readPreview } from '../../../engine/core/tables/read-preview.ts';
import { totalOf } from '../../../tables/model/stack/standing-cost.ts';
import { type ProjectFolder, projectFolder } from '../../support/project-folder.ts';
import { runMain } from '../../support/run-main.ts';

const type = 'aws:dynamodb/table:Table';
const index = (name: string, more: object = {}) => ({
  name,
  keySchemas: [{ attributeName: `${name}_pk`, keyType: 'HASH' }],
  projectionType: 'ALL',
  ...more,
});

function step(op: string, before: object | undefined, after: object | undefined, more: Partial<PreviewStep> = {}): PreviewStep {
  const state = (inputs: object | undefined) =>
    inputs === undefined ? {} : { type, inputs: { name: 'orders', hashKey: 'id', ...inputs } };
  return {
    op,
    urn: 'urn:pulumi:dev::tablewright::tablewright:dynamodb:DynamoTable$aws:dynamodb/table:Table::orders',
    ...(before === undefined ? {} : { oldState: state(before) }),
    ...(after === undefined ? {} : { newState: state(after) }),
    ...more,
  };
}

describe('a preview of Pulumi, in words', () => {
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
      step('delete', {}, undefined),
      step('replace', {}, { hashKey: 'other' }, { replaceReasons: ['hashKey'] }),
      step('create-replacement', {}, { hashKey: 'other' }),
      step('delete-replaced', {}, {}),
      step('update', { globalSecondaryIndexes: [index('a'), index('b')] }, { globalSecondaryIndexes: [index('b')] }),
      step('update', { globalSecondaryIndexes: [index('a')] }, wider),
    ];
    expect(readPreview({ steps }).losses).to.deep.equal([
      'orders: the table is deleted with all its items',
      'orders: the table is replaced and all its items are lost: hashKey',
      'orders: the index a is dropped, queries on it fail',
      'orders: the index a is built anew, queries on it fail meanwhile',
    ]);
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
    const urn = 'urn:pulumi:dev::tablewright::aws:cloudwatch/dashboard:Dashboard::oms';
    const { cost, others } = readPreview({
      steps: [
        { op: 'create-replacement', urn, oldState: dashboard, newState: dashboard },
        { op: 'replace', urn, oldState: dashboard, newState: dashboard },
        { op: 'delete-replaced', urn, oldState: dashboard },
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
    const urn = 'urn:pulumi:prod::tablewright::aws:kms/key:Key::stack';
    const other = await preview({ steps: [{ op: 'same', urn }] });
    expect(other.code).to.equal(2);
    expect(other.stderr).to.contain('expected a preview of the stack dev, found one of prod');
  });
});
