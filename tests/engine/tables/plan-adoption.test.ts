import { expect } from 'chai';
import type { DeployedTable } from '../../../engine/core/tables/deployed-table.ts';
import { planAdoption } from '../../../engine/core/tables/plan-adoption.ts';
import { tableArgs } from '../../../infra/table/table-args.ts';
import { tableOptions } from '../../../infra/table/table-options.ts';
import { shapeOf } from '../../../tables/model/shape/shape.ts';
import { parseStackConfig, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { asDeployed } from '../../infra/support/as-deployed.ts';
import { ignoring } from '../../infra/support/provider-check.ts';
import { tables } from '../../support/project.ts';

function tableCalled(name: string): Table {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`the catalogue has ${name}`);
  return table;
}

const orders = tableCalled('orders');
const config = (settings: object = {}) => parseStackConfig('old', { ...settings }, tables);
const plain = asDeployed(orders, config());

/** What becomes of the table where some of its settings are otherwise. */
function planned(settings: Partial<DeployedTable['description']['settings']>, stack = config()) {
  const description = { ...plain.description, settings: { ...plain.description.settings, ...settings } };
  return planAdoption(orders, stack, { ...plain, description, owner: undefined });
}

describe('the adoption of one table', () => {
  it('has nothing to change where the table is as the stack’s file says', () => {
    expect(planned({})).to.deep.equal({
      table: 'orders',
      physical: 'orders-old',
      outcome: 'same',
      changes: [],
      refusals: [],
      byHand: [],
      around: [],
    });
  });

  it('is refused where the deployment would delete replicas in other regions', () => {
    const { outcome, refusals } = planned({ replicas: ['eu-west-1', 'ap-south-1'] });
    expect(outcome).to.equal('refused');
    expect(refusals).to.deep.equal([
      'it has replicas (eu-west-1, ap-south-1), which the catalogue cannot say: the deployment would delete them; leave its system out of this stack (tablewright:systems), or remove them first',
    ]);
  });

  it('is refused where a maximum is named by nobody, because the deployment would fail at it', () => {
    const { outcome, refusals, byHand } = planned({ maximum: { read: 100 } });
    expect(outcome).to.equal('refused');
    expect(refusals).to.have.length(1);
    expect(refusals[0]).to.match(
      /^its maximum is 100 read, none write units a second and the stack’s file names none, so the deployment would fail: say it as billing\.maximum of orders /,
    );
    expect(byHand).to.deep.equal([]);
    const named = config({ 'tablewright:billing': { mode: 'on-demand', maximum: { read: 50 } } });
    expect(planned({ maximum: { read: 100 } }, named).changes).to.include(
      'maximum turns from 100 read, none write units a second to 50 read, none write units a second',
    );
  });

  it('says how a stream that somebody reads is kept', () => {
    expect(planned({ stream: 'NEW_IMAGE' }).changes).to.deep.equal([
      `stream turns from NEW_IMAGE to off; to keep it: npx pulumi config set --path 'tablewright:tables["orders"].stream' 'NEW_IMAGE' -s old`,
    ]);
  });

  it('leaves scaling that nobody asked for, and says what takes it away', () => {
    const scaled = { resourceId: 'table/orders-old', scalableDimension: 'dynamodb:table:ReadCapacityUnits', min: 1, max: 9 };
    const attachments = { scaling: [{ ...scaled, policy: undefined }], insights: [] };
    const { outcome, changes, byHand } = planAdoption(orders, config(), { ...plain, attachments, owner: undefined });
    expect(outcome).to.equal('changed');
    expect(changes).to.deep.equal(['scaling of reads stays 1 to 9 units, moved by nothing, though the stack’s file says none']);
    expect(byHand.at(-1)).to.equal(
      'aws application-autoscaling deregister-scalable-target --region us-east-1 --service-namespace dynamodb --resource-id table/orders-old --scalable-dimension dynamodb:table:ReadCapacityUnits',
    );
  });
});

describe('the adoption of a table that scales', () => {
  const results = tableCalled('crypto-backtest-results');
  const billing = { mode: 'provisioned', read: 5, write: 6, max: { read: 50, write: 60 } };
  const stack = (more: object = {}) => config({ 'tablewright:tables': { [results.name]: { billing: { ...billing, ...more } } } });

  /** As it is found where only some of its indexes are there, and in this order. */
  function found(names: readonly string[], settings = stack()): DeployedTable {
    const there = asDeployed(results, settings);
    const indexes = names.flatMap((name) => there.description.indexes.filter((index) => index.name === name));
    return { ...there, description: { ...there.description, indexes } };
  }
  const plan = (names: readonly string[], settings = stack()) =>
    planAdoption(results, settings, { ...found(names, settings), owner: undefined });

  /** What the first deployment does to a state that was imported with these indexes, at capacities that scaling had chosen. */
  function deployed(names: readonly string[], settings: StackConfig) {
    const inputs = { ...tableArgs(results, settings, undefined) };
    const indexes = names.map((name, at) => {
      return {
        ...inputs.globalSecondaryIndexes?.find((index) => index.name === name),
        readCapacity: 11 + at,
        writeCapacity: 21 + at,
      };
    });
    const { ignoreChanges } = tableOptions(results, settings, shapeOf([results])[results.name]);
    const { inputs: sent, missing } = ignoring({ ...inputs, globalSecondaryIndexes: indexes }, inputs, ignoreChanges);
    const reads = (sent.globalSecondaryIndexes as { readonly name: string; readonly readCapacity: number }[]).map(
      ({ name, readCapacity }) => `${name} ${readCapacity}`,
    );
    return { missing, reads };
  }

  const all = ['ScanIdIndex', 'OptimalTimeframeIndex', 'StatusIndex'];
  const begun = all.map((name) => `${name} 5`);

  it('writes the capacity of its indexes in a deployment of its own: an import keeps neither their places nor those that lack', () => {
    // Without it the deployment ends, or gives an index what another has.
    expect(deployed(all.slice(0, 2), stack()).missing).to.deep.equal([
      'globalSecondaryIndexes[2].readCapacity: one or more elements of the path are missing',
      'globalSecondaryIndexes[2].writeCapacity: one or more elements of the path are missing',
    ]);
    expect(deployed(all.toReversed(), stack()).reads[0]).to.equal('ScanIdIndex 11');
    for (const names of [all, all.toReversed(), all.slice(0, 2), all.slice(2), []]) {
      const { changes, byHand, around, refusals } = plan(names);
      expect([...refusals, ...byHand]).to.deep.equal([]);
      expect(changes).to.deep.include(
        'its capacity and that of its indexes begin at read and write of the stack’s file, and scaling goes on from there: raise them before where it needs more at once',
      );
      expect(around).to.deep.equal([
        {
          set: [`npx pulumi config set --path 'tablewright:tables["crypto-backtest-results"].billing.drift' correct -s old`],
          unset: `npx pulumi config rm --path 'tablewright:tables["crypto-backtest-results"].billing.drift' -s old`,
        },
      ]);
      expect(deployed(names, stack({ drift: 'correct' }))).to.deep.equal({ missing: [], reads: begun });
    }
  });

  it('needs none where nothing scales its indexes, and where the file says already that it is written', () => {
    expect(plan(all, stack({ max: undefined })).around).to.deep.equal([]);
    expect(plan(all, stack({ drift: 'correct' })).around).to.deep.equal([]);
  });

  it('is refused where an index that lacks is to be warm: the deployment would fail at its place', () => {
    const warm = (indexes: object) => config({ 'tablewright:tables': { [results.name]: { warm: { read: 13_000, indexes } } } });
    const settings = warm({ StatusIndex: { read: 13_000 } });
    expect(deployed(all.slice(0, 2), settings).missing).to.have.length(1);
    expect(plan(all.slice(0, 2), settings).refusals).to.deep.equal([
      `it lacks indexes, so the deployment would fail at the warm throughput of StatusIndex: take that out until they are there, with npx pulumi config rm --path 'tablewright:tables["crypto-backtest-results"].warm.indexes' -s old`,
    ]);
    expect(plan(all, settings).refusals).to.deep.equal([]);
    expect(plan(all.slice(0, 2), warm({})).refusals).to.deep.equal([]);
  });
});
