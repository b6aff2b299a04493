import { expect } from 'chai';
import type { DeployedTable } from '../../../engine/core/tables/deployed-table.ts';
import { planAdoption } from '../../../engine/core/tables/plan-adoption.ts';
import { parseStackConfig } from '../../../tables/model/stack/stack-config.ts';
import { asDeployed } from '../../infra/support/as-deployed.ts';
import { tables } from '../../support/project.ts';

const found = tables.find(({ name }) => name === 'orders');
if (found === undefined) throw new Error('the catalogue has orders');
const orders = found;
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
