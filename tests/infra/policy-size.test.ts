import { expect } from 'chai';
import { boundaryDocument, checkBoundary } from '../../infra/access/boundary.ts';
import { deployPolicies } from '../../infra/access/deploy-grants.ts';
import { policiesOf } from '../../infra/access/policies.ts';
import { rolesOf } from '../../infra/access/roles.ts';
import { longestDocument } from '../../infra/access/split-policy.ts';
import { ProjectStack } from '../../infra/project-stack.ts';
import { ledger } from '../../tables/model/ledger/ledger.ts';
import { parseStackConfig, type StackConfig, tablesOf } from '../../tables/model/stack/stack-config.ts';
import { defineTable, type Table } from '../../tables/model/table.ts';
import { tables } from '../support/project.ts';
import { boot, bootTimeoutMs } from './support/boot.ts';
import { keyArn, place } from './support/fake-aws.ts';
import { manyTables } from './support/many-tables.ts';
import { runMocked } from './support/mocked-run.ts';
import { ruleProblems } from './support/policy-check.ts';
import { ofType, tableType } from './support/registered.ts';
import { configOf, type Settings, stackFile } from './support/stack-file.ts';
import { thrown } from './support/thrown.ts';

const configFor = (catalogue: readonly Table[], changes: Settings = {}) =>
  parseStackConfig('dev', { ...stackFile('dev', {}), ...changes }, catalogue);

/** The ARNs of tables that a document names, indexes and endings aside. */
function tablesIn(document: string): ReadonlySet<string> {
  return new Set([...document.matchAll(/:table\/(quite-[\w-]*?-dev)/g)].flatMap(([, name]) => name ?? []));
}

/** What a deployment registers before it ends with this error. */
async function registeredBefore(code: string, catalogue: readonly Table[], config: StackConfig, preview: boolean) {
  let failure: unknown;
  const run = async () => {
    try {
      return new ProjectStack({ catalogue, config, place, released: {}, root: '.' }).outputs;
    } catch (reason) {
      failure = reason;
      return {};
    }
  };
  const { resources } = await runMocked('dev', stackFile('dev', {}), run, preview);
  expect(failure).to.include({ code });
  return resources.map(({ type }) => type);
}

describe('policies of a growing catalogue', function () {
  this.timeout(bootTimeoutMs);

  it('of this one are whole, each one policy; with longer names they still fit', () => {
    for (const stack of ['dev', 'prod']) {
      const ids = policiesOf(tables, configOf(stack), place).map(({ id }) => id);
      expect(ids.filter((id) => id.includes('part'))).to.deep.equal([]);
    }
    const config = { ...configOf('dev'), stack: 'integration-tests-eu' };
    for (const { document, id } of policiesOf(tables, config, { ...place, region: 'ap-southeast-1' })) {
      expect(document(keyArn).length, id).to.be.at.most(longestDocument);
    }
  });

  it('are split between tables when they get too long; the first part keeps the name, and no table is lost', () => {
    const catalogue = manyTables(40);
    const policies = policiesOf(catalogue, configFor(catalogue), place);
    for (const { document, id } of policies) expect(document(keyArn).length, id).to.be.at.most(longestDocument);
    expect(policies.map(({ id }) => id)).to.include.members(['migration-runner', 'migration-runner-part-2', 'inspector']);
    const expected = Array.from({ length: 40 }, (_, at) => `quite-a-long-table-name-${at}-dev`);
    for (const purpose of new Set(policies.map((policy) => policy.purpose))) {
      const parts = policies.filter((policy) => policy.purpose === purpose);
      const named = parts.flatMap(({ document }) => [...tablesIn(document(keyArn))]);
      expect(named, purpose).to.have.members(expected).and.to.have.lengthOf(40);
      expect(parts[0]?.id, purpose).not.to.include('part');
    }
  });

  it('give each part everything for its tables, and the rest to the first', () => {
    const catalogue = manyTables(40);
    const parts = policiesOf(catalogue, configFor(catalogue), place).filter(({ purpose }) => purpose === 'exporter');
    const sids = parts.map(({ document }) =>
      (JSON.parse(document(keyArn)) as { Statement: { Sid: string }[] }).Statement.map(({ Sid }) => Sid),
    );
    expect(sids[0]).to.deep.equal(['Tables', 'Indexes', 'Exports', 'ListExports', 'Bucket', 'Objects', 'MaskedExports', 'Key']);
    for (const later of sids.slice(1)) expect(later).to.deep.equal(['Tables', 'Indexes', 'Exports']);
    expect(parts.map(({ description }) => description.slice(-8))).to.deep.equal(
      parts.map((_, at) => `(${at + 1} of ${parts.length})`),
    );
  });

  it('deploy: 40 tables in four systems, by Pulumi’s own entry point, each policy within what IAM takes', async () => {
    const { resources, exitCode, printed } = await boot(
      'dev',
      stackFile('dev', {}),
      'tests/infra/support/many-tables-program.ts',
    );
    expect({ exitCode, printed }).to.deep.equal({ exitCode: 0, printed: '' });
    expect(ofType(resources, tableType)).to.have.lengthOf(41);
    const policies = ofType(resources, 'aws:iam/policy:Policy');
    for (const { name, inputs } of policies) expect(String(inputs.policy).length, name).to.be.at.most(longestDocument);
    expect(policies.map(({ name }) => name)).to.include.members(['application-read-system-3', 'importer', 'importer-part-2']);
    expect(ruleProblems(resources, false)).to.deep.equal([]);
  });

  it('refuse a table that no policy can name, all of them at once, before anything is registered, in a preview too', async () => {
    const names = Array.from({ length: 60 }, (_, at) => [`an-index-with-quite-a-long-name-${at}`, { hash: `key-${at}` }]);
    const wide = defineTable({
      name: 'wide',
      system: 'many',
      namespace: 'many.wide',
      description: 'More indexes than DynamoDB takes',
      hash: 'id',
      indexes: Object.fromEntries(names) as Readonly<Record<string, { readonly hash: string }>>,
    });
    const catalogue = [wide, ledger];
    const config = configFor(catalogue);
    const error = thrown(() => policiesOf(catalogue, config, place));
    expect(error.code).to.equal('BAD_CATALOGUE');
    expect(error.message.replaceAll(/found \d+/g, 'found N')).to.equal(
      [
        'Tables have more indexes than a policy can name',
        ...['application-read-many', 'migration-runner', 'seeder', 'exporter'].map(
          (id) => `  - ${id}: wide: expected at most 6144 characters, found N`,
        ),
      ].join('\n'),
    );
    for (const preview of [true, false]) {
      expect(await registeredBefore('BAD_CATALOGUE', catalogue, config, preview)).to.deep.equal(['pulumi:pulumi:Stack']);
    }
  });
});

describe('a role of a growing catalogue', function () {
  this.timeout(bootTimeoutMs);
  const everything = {
    'tablewright:roles': {
      all: {
        policies: ['migration-runner', 'seeder', 'exporter', 'importer', 'bulk-importer', 'restorer', 'inspector', 'warmer'],
        services: ['lambda.amazonaws.com'],
      },
      few: { policies: ['inspector'], services: ['lambda.amazonaws.com'] },
    },
  };

  it('with more than ten policies, parts counted, is refused with their names before anything is registered, in a preview too', async () => {
    const catalogue = manyTables(40);
    const config = configFor(catalogue, everything);
    const policies = policiesOf(catalogue, config, place);
    const error = thrown(() => rolesOf(config, place, policies));
    const held = policies.filter(({ purpose }) => !purpose.startsWith('application-')).map(({ id }) => id);
    expect(held.length).to.be.greaterThan(10);
    expect(error.code).to.equal('BAD_CONFIG');
    expect(error.message).to.equal(
      [
        'Pulumi.dev.yaml has roles that IAM would refuse',
        `  - tablewright:roles.all: expected at most 10 policies for a role, found ${held.length}: ${held.join(', ')}`,
      ].join('\n'),
    );
    for (const preview of [true, false]) {
      expect(await registeredBefore('BAD_CONFIG', catalogue, config, preview)).to.deep.equal(['pulumi:pulumi:Stack']);
    }
  });

  it('of this catalogue holds eight, and all of a system', () => {
    const config = configOf('dev', everything);
    const [all] = rolesOf(config, place, policiesOf(tables, config, place));
    expect(all?.policies).to.have.lengthOf(8);
    expect(tablesOf(config, tables)).to.have.lengthOf(tables.length);
  });
});

describe('the boundary and the deploy role of a growing catalogue', function () {
  this.timeout(bootTimeoutMs);
  const provider = `arn:aws:iam::${place.account}:oidc-provider/token.actions.githubusercontent.com`;
  const ci = { 'tablewright:ci': { provider, deploy: ['repo:desk/trading:environment:dev'] } };
  const far = { ...place, region: 'ap-southeast-1' };

  it('fit for every stack of this one, whatever is switched on and wherever it is', () => {
    const vaultArn = 'arn:aws:backup:ap-southeast-2:444455556666:backup-vault:backups-of-all-accounts';
    const on = { ...ci, 'tablewright:runner': { enabled: true }, 'tablewright:backups': { enabled: true, copyTo: { vaultArn } } };
    for (const stack of ['dev', 'staging', 'prod']) {
      const config = configOf(stack, on);
      expect(boundaryDocument(config, far, tables).length, stack).to.be.at.most(longestDocument);
      checkBoundary(config, far, tables);
      const policies = deployPolicies(config, far, tables, 'arn:aws:iam::111122223333:policy/tablewright-staging-boundary');
      expect(policies.map(({ id }) => id)).to.deep.equal(['deploy-tables', 'deploy-services', 'deploy-access']);
      for (const { id, document } of policies) expect(document.length, `${stack} ${id}`).to.be.at.most(longestDocument);
    }
  });

  it('of 40 tables: the role’s policy is split and names each; the boundary cannot be, and is refused before anything is registered', async () => {
    const catalogue = manyTables(40);
    const config = configFor(catalogue, ci);
    const policies = deployPolicies(config, place, catalogue, 'arn:aws:iam::111122223333:policy/tablewright-dev-boundary');
    expect(policies.map(({ id }) => id)).to.include.members(['deploy-tables', 'deploy-tables-part-2', 'deploy-access']);
    for (const { id, document } of policies) expect(document.length, id).to.be.at.most(longestDocument);
    const named = policies.flatMap(({ document }) => [...tablesIn(document)]);
    expect(named).to.have.members(Array.from({ length: 40 }, (_, at) => `quite-a-long-table-name-${at}-dev`));
    const error = thrown(() => checkBoundary(config, place, catalogue));
    expect(error.message).to.match(
      /^Stack dev has more tables than the boundary of its roles can name\n {2}- tablewright:ci\.deploy: expected a boundary of at most 6144 characters, found \d{4,5} for \d+ tables$/,
    );
    expect(await registeredBefore('BAD_CONFIG', catalogue, config, true)).to.deep.equal(['pulumi:pulumi:Stack']);
    checkBoundary(configFor(catalogue), place, catalogue);
  });
});
