import { expect } from 'chai';
import { deployProject } from '../../infra/program.ts';
import { DynamoTable } from '../../infra/table/dynamo-table.ts';
import { text } from '../../tables/model/attributes.ts';
import { defineEntity } from '../../tables/model/entity.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { afterRelease } from '../../tables/model/shape/after-release.ts';
import { type CatalogueShape, shapeOf } from '../../tables/model/shape/shape.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { defineTable, provisioned, type Table } from '../../tables/model/table.ts';
import { bootTimeoutMs } from './support/boot.ts';
import { type MockedRun, runMocked } from './support/mocked-run.ts';
import { deploymentSteps, ignoring, refusals, summary } from './support/provider-check.ts';
import { type Inputs, named, type Registered, tableType } from './support/registered.ts';
import type { Settings } from './support/stack-file.ts';

const entry = defineEntity({ name: 'ENTRY', description: 'One', attributes: { id: text(), owner: text(), state: text() } });

interface Parts {
  readonly ttl?: string;
  readonly indexes?: readonly string[];
}

/** A table whose TTL and indexes come and go. */
function notes({ ttl, indexes = [] }: Parts): Table {
  return defineTable({
    name: 'notes',
    system: 'notes',
    namespace: 'notes',
    description: 'A table for these tests',
    hash: 'id',
    indexes: Object.fromEntries(indexes.map((name) => [name, { hash: name.toLowerCase() }])),
    ...(ttl === undefined ? {} : { ttl }),
    entities: [entry],
    billing: { production: provisioned(5, 5, { read: 50, write: 50 }) },
  });
}

const shape = (parts: Parts): CatalogueShape => shapeOf([notes(parts), ledger]);

interface Deployment {
  readonly parts: Parts;
  readonly released: CatalogueShape;
  readonly allowed?: readonly string[];
  readonly settings?: Settings;
}

async function deploy(deployment: Deployment): Promise<readonly Registered[]> {
  return (await run(deployment)).resources;
}

function run({ parts, released, allowed = [], settings = {} }: Deployment): Promise<MockedRun> {
  const project = {
    catalogue: [notes(parts), ledger],
    released,
    allowed: allowed.map((change) => ({ change, reason: 'a test' })),
  };
  const own = { 'aws:region': 'us-east-1', 'tablewright:production': false, ...settings };
  return runMocked('dev', own, () => deployProject(project));
}

describe('a catalogue that does not hold', function () {
  this.timeout(bootTimeoutMs);
  // Nobody checks types when Pulumi loads a program, and DynamoDB takes such an index and then refuses every write of an entry.
  const mistyped = (name: string) =>
    defineTable({
      ...{ name, system: 'notes', namespace: name, description: 'A table for these tests', hash: 'id', entities: [entry] },
      indexes: { Owner: { hash: 'owner' }, State: { hash: 'owner', range: { name: 'state', type: 'N' as 'S' } } },
    });
  const problems = ['letters', 'parcels'].map((name) => `${name}: the key state has type N, but ENTRY writes type S (text)`);
  const settings = { 'aws:region': 'us-east-1', 'tablewright:production': false };
  const registered = async (make: () => object | Promise<object>) => {
    let failure: unknown;
    const { resources } = await runMocked('dev', settings, async () => {
      try {
        return await make();
      } catch (reason) {
        failure = reason;
        return {};
      }
    });
    return { failure: String(failure), types: resources.map(({ type }) => type) };
  };

  it('is refused whole before anything is registered, with every problem', async () => {
    const catalogue = [mistyped('letters'), mistyped('parcels'), ledger];
    const { failure, types } = await registered(() => deployProject({ catalogue, released: {}, allowed: [] }));
    expect(failure).to.contain(`BAD_CATALOGUE: the catalogue does not hold\n  - ${problems.join('\n  - ')}`);
    expect(types).to.deep.equal(['pulumi:pulumi:Stack']);
  });

  it('is refused where a table is deployed by itself, too', async () => {
    const table = mistyped('letters');
    const config = parseStackConfig('dev', settings, [table]);
    const own = { table, config, keyArn: undefined, topicArn: undefined, released: undefined };
    const { failure, types } = await registered(() => new DynamoTable(own));
    expect(failure).to.contain(problems[0]);
    expect(types).to.deep.equal(['pulumi:pulumi:Stack']);
  });
});

const ttlOf = (resources: readonly Registered[]) => named(resources, tableType, 'notes').inputs.ttl;
const tableSteps = (before: readonly Registered[], after: readonly Registered[]) =>
  deploymentSteps(before, after).filter(({ resource }) => resource === 'dynamodb.Table notes');

/** The same run with other arguments of the table: as AWS has them, or as an earlier program sent them. */
const withInputs = (resources: readonly Registered[], change: (inputs: Inputs) => Inputs): readonly Registered[] =>
  resources.map((resource) =>
    resource.type === tableType && resource.name === 'notes'
      ? { ...resource, inputs: { ...resource.inputs, ...change(resource.inputs) } }
      : resource,
  );

describe('a TTL', function () {
  this.timeout(bootTimeoutMs);
  const on = { parts: { ttl: 'ttl' }, released: shape({ ttl: 'ttl' }) };
  const off = { parts: {}, released: on.released, allowed: ['notes/ttl'] };

  it('is switched off with its name, stays so without a difference through later releases, and can come back', async () => {
    const before = await deploy(on);
    const after = await deploy(off);
    expect(ttlOf(after)).to.deep.equal({ enabled: false, attributeName: 'ttl' });
    expect(refusals(deploymentSteps(before, after))).to.deep.equal([]);
    expect(summary(tableSteps(before, after))).to.deep.equal(['update dynamodb.Table ×1: ttl']);
    const first = afterRelease(on.released, shape({}));
    const second = afterRelease(first, shape({}));
    for (const released of [first, second]) {
      const again = await deploy({ parts: {}, released });
      expect(ttlOf(again)).to.deep.equal({ enabled: false, attributeName: 'ttl' });
      expect(tableSteps(after, again)).to.deep.equal([]);
      // A stack that missed a release still has it on.
      expect(refusals(deploymentSteps(before, again))).to.deep.equal([]);
    }
    const back = await deploy({ parts: { ttl: 'ttl' }, released: second });
    expect(ttlOf(back)).to.deep.equal({ enabled: true, attributeName: 'ttl' });
    expect(refusals(deploymentSteps(after, back))).to.deep.equal([]);
  });

  it('that a stack never had is left alone there', async () => {
    const never = await deploy({ parts: {}, released: shape({}) });
    expect(ttlOf(never)).to.deep.equal({ enabled: false });
    const after = await deploy({ parts: {}, released: afterRelease(on.released, shape({})) });
    expect(tableSteps(never, after)).to.deep.equal([]);
  });

  it('switched off as before this release fails, and the next deployment with --refresh repairs', async () => {
    const before = await deploy(on);
    const failed = withInputs(before, () => ({ ttl: { enabled: false } }));
    expect(refusals(deploymentSteps(before, failed))).to.deep.equal([
      "dynamodb.Table notes: ValidationException: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint",
    ]);
    const mended = await deploy(off);
    // Pulumi keeps the arguments that failed; by themselves they show no difference.
    expect(tableSteps(failed, mended)).to.deep.equal([]);
    const refreshed = before;
    expect(summary(tableSteps(refreshed, mended))).to.deep.equal(['update dynamodb.Table ×1: ttl']);
    expect(refusals(deploymentSteps(refreshed, mended))).to.deep.equal([]);
  });

  it('moves in two deployments, which the guard names with their commands', async () => {
    const before = await deploy(on);
    const moved = { parts: { ttl: 'expires' }, released: on.released };
    const refused = await deploy(moved).catch((error: Error) => error.message);
    expect(refused).to.contain(
      "'npx pulumi up -s dev' switches the TTL on ttl off; then run 'npx tablewright shape release', wait an hour",
    );
    const direct = withInputs(before, () => ({ ttl: { enabled: true, attributeName: 'expires' } }));
    expect(refusals(deploymentSteps(before, direct))).to.deep.equal([
      'dynamodb.Table notes: ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is ttl',
    ]);
    const { resources: first, warnings } = await run({ ...moved, allowed: ['notes/ttl'] });
    expect(warnings).to.have.lengthOf(1);
    expect(warnings[0]).to.match(/^notes\/ttl: it takes two deployments an hour apart: /);
    expect(ttlOf(first)).to.deep.equal({ enabled: false, attributeName: 'ttl' });
    expect(refusals(deploymentSteps(before, first))).to.deep.equal([]);
    const half = afterRelease(on.released, shape(moved.parts));
    const second = await deploy({ ...moved, released: half });
    expect(ttlOf(second)).to.deep.equal({ enabled: true, attributeName: 'expires' });
    expect(refusals(deploymentSteps(first, second))).to.deep.equal([]);
    const third = await deploy({ ...moved, released: afterRelease(half, shape(moved.parts)) });
    expect(tableSteps(second, third)).to.deep.equal([]);
  });
});

describe('the last index of a table', function () {
  this.timeout(bootTimeoutMs);
  const one = { parts: { indexes: ['Owner'] }, released: shape({ indexes: ['Owner'] }) };

  it('stays, so the guard says what drops it; once it is dropped nothing is left to do', async () => {
    const before = await deploy(one);
    const gone = { parts: {}, released: one.released };
    const refused = await deploy(gone).catch((error: Error) => error.message);
    expect(refused).to.contain(
      `aws dynamodb update-table --region us-east-1 --table-name notes-dev --global-secondary-index-updates '[{"Delete":{"IndexName":"Owner"}}]'`,
    );
    const { resources: after, warnings } = await run({ ...gone, allowed: ['notes/index/Owner'] });
    expect(warnings).to.have.lengthOf(1);
    expect(warnings[0]).to.match(/^notes\/index\/Owner: Pulumi leaves an index in place .* drop it with: aws dynamodb /);
    expect(tableSteps(before, after)).to.deep.equal([
      { action: 'update', resource: 'dynamodb.Table notes', changed: [], refused: ['index Owner stays'] },
    ]);
    const dropped = withInputs(before, () => ({ globalSecondaryIndexes: undefined }));
    expect(tableSteps(dropped, after)).to.deep.equal([]);
  });

  it('is no matter for the last but one, which goes', async () => {
    const two = { parts: { indexes: ['Owner', 'State'] }, released: shape({ indexes: ['Owner', 'State'] }) };
    const before = await deploy(two);
    const after = await deploy({ ...one, released: two.released, allowed: ['notes/index/State'] });
    expect(refusals(deploymentSteps(before, after))).to.deep.equal([]);
    expect(summary(tableSteps(before, after))).to.deep.equal(['update dynamodb.Table ×1: attributes, globalSecondaryIndexes']);
  });
});

describe('a maximum', function () {
  this.timeout(bootTimeoutMs);
  const parts = { indexes: ['Owner'] };
  const billing = (settings: object) => ({ 'tablewright:billing': { mode: 'on-demand', ...settings } });
  const deployed = (settings: object) => deploy({ parts, released: shape(parts), settings: billing(settings) });

  it('that is taken away stays or fails, before off and after it; off lifts it and stays without a difference', async () => {
    const limited = await deployed({ maximum: { read: 5, write: 5 } });
    const taken = await deployed({});
    const off = await deployed({ maximum: 'off' });
    const reasons = [
      'ValidationException: UpdateTable: At least one of ProvisionedThroughput, BillingMode, … is required',
      'the maximum of index Owner stays',
    ];
    const ofTable = (from: readonly Registered[], to: readonly Registered[]) =>
      tableSteps(from, to).flatMap(({ refused }) => refused);
    expect(ofTable(limited, taken)).to.deep.equal(reasons);
    expect(ofTable(off, taken)).to.deep.equal(reasons);
    expect(ofTable(limited, off)).to.deep.equal([]);
    expect(tableSteps(off, await deployed({ maximum: 'off' }))).to.deep.equal([]);
    // After the failed update Pulumi has arguments without a maximum; off differs from them, too.
    expect(summary(tableSteps(taken, off))).to.deep.equal([
      'update dynamodb.Table ×1: globalSecondaryIndexes, onDemandThroughput',
    ]);
    const never = await deployed({});
    expect(deploymentSteps(taken, never)).to.deep.equal([]);
  });
});

describe('capacities that auto scaling moved', function () {
  this.timeout(bootTimeoutMs);
  const indexes = ['Owner', 'State', 'Kind'];
  const orders = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => b !== a).map((b) => [a, b, 3 - a - b]));

  it('survive a refresh, in any order in which DynamoDB lists the indexes', async () => {
    const parts = { indexes };
    const settings = { 'tablewright:production': true, 'tablewright:protect': false, 'tablewright:backups': { enabled: false } };
    const resources = await deploy({ parts, released: shape(parts), settings });
    const { inputs, options } = named(resources, tableType, 'notes');
    const sent = inputs.globalSecondaryIndexes as readonly Inputs[];
    for (const order of orders) {
      const listed = order.map((at) => ({ ...sent[at], readCapacity: 11 + at, writeCapacity: 21 + at }));
      const refreshed = { ...inputs, readCapacity: 31, writeCapacity: 32, globalSecondaryIndexes: refreshedIn(sent, listed) };
      expect(ignoring(refreshed, inputs, options.ignoreChanges)).to.deep.equal({ inputs: refreshed, missing: [] });
      const lacking = options.ignoreChanges.filter((path) => !path.startsWith('globalSecondaryIndexes[1]'));
      expect(ignoring(refreshed, inputs, lacking).inputs, 'an index that is not ignored').not.to.deep.equal(refreshed);
    }
  });

  /** A refresh was seen to keep the order of the arguments and to find each index by its name. */
  function refreshedIn(sent: readonly Inputs[], listed: readonly Inputs[]): readonly Inputs[] {
    return sent.map(({ name }) => listed.find((index) => index.name === name) ?? {});
  }
});

describe('a managed policy', function () {
  this.timeout(bootTimeoutMs);

  it('is never replaced for another description: a role of the user may hold it', async () => {
    const parts = { parts: {}, released: shape({}) };
    const after = await deploy(parts);
    const before = after.map((resource) =>
      resource.type === 'aws:iam/policy:Policy'
        ? { ...resource, inputs: { ...resource.inputs, description: 'as it was' } }
        : resource,
    );
    expect(deploymentSteps(before, after)).to.deep.equal([]);
  });
});
