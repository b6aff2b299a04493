import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { type AwsPlace, iamArn, resourceName } from '../../tables/model/stack/aws-place.ts';
import type { CiSettings } from '../../tables/model/stack/config/ci.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import type { Table } from '../../tables/model/table.ts';
import type { Owned } from '../owned.ts';
import { boundaryDocument } from './boundary.ts';
import { deployPolicies } from './deploy-grants.ts';
import { type CreatedPolicy, under } from './stack-access.ts';
import { policyDocument } from './statement.ts';

/** A token of the provider is taken for exactly this audience and one of these subjects: no pattern, nothing left out. */
export function webIdentityTrust({ provider, audience }: CiSettings, subjects: readonly string[]): string {
  const issuer = provider.slice(provider.indexOf('oidc-provider/') + 'oidc-provider/'.length);
  return policyDocument([
    {
      Sid: 'Trust',
      Effect: 'Allow',
      Principal: { Federated: provider },
      Action: 'sts:AssumeRoleWithWebIdentity',
      Condition: { StringEquals: { [`${issuer}:aud`]: audience, [`${issuer}:sub`]: [...subjects] } },
    },
  ]);
}

export interface Boundary {
  /** Known before it is made: the policies that speak of it are made at the same time. */
  readonly name: string;
  readonly arn: pulumi.Output<string>;
}

/** Where a pipeline deploys, every role of the stack is made under this. */
export function createBoundary(
  config: StackConfig,
  place: AwsPlace,
  tables: readonly Table[],
  owned: Owned,
): Boundary | undefined {
  if (config.ci === undefined || config.ci.deploy.length === 0) return undefined;
  const name = resourceName(config, 'boundary');
  const policy = boundaryDocument(config, place, tables);
  const description = 'The most that roles of the stack may do';
  const resource = new aws.iam.Policy('boundary', { name, description, policy, tags: { ...stackTags(config) } }, owned);
  return { name, arn: resource.arn };
}

export interface CiArgs {
  readonly config: StackConfig;
  readonly place: AwsPlace;
  readonly tables: readonly Table[];
  readonly policies: readonly CreatedPolicy[];
  readonly boundary: Boundary | undefined;
  readonly owned: Owned;
}

/** The roles of pipelines, by what they are for. */
export function createCiRoles(args: CiArgs): Readonly<Record<string, pulumi.Output<string>>> {
  const { config, boundary } = args;
  const { ci } = config;
  if (ci === undefined) return {};
  return {
    ...(ci.deploy.length === 0 || boundary === undefined ? {} : { deploy: createDeployRole(args, ci, boundary).arn }),
    ...(ci.migrate.length === 0 ? {} : { migrate: createMigrateRole(args, ci).arn }),
  };
}

/** What the roles of pipelines and their policies are called. */
export function ciNames(
  config: StackConfig,
  place: AwsPlace,
  tables: readonly Table[],
): { readonly roles: readonly string[]; readonly policies: readonly string[] } {
  const { deploy = [], migrate = [] } = config.ci ?? {};
  const policies = deploy.length === 0 ? [] : ['boundary', ...deployPolicies(config, place, tables, '').map(({ id }) => id)];
  return {
    roles: [...(deploy.length === 0 ? [] : ['deploy']), ...(migrate.length === 0 ? [] : ['migrate'])].map((role) =>
      resourceName(config, role),
    ),
    policies: policies.map((policy) => resourceName(config, policy)),
  };
}

/** Not under the boundary itself: it makes roles, which nothing under it may. */
function createDeployRole({ config, place, tables, owned }: CiArgs, ci: CiSettings, boundary: Boundary): aws.iam.Role {
  const tags = { ...stackTags(config) };
  const name = resourceName(config, 'deploy');
  const role = new aws.iam.Role('deploy', { name, assumeRolePolicy: webIdentityTrust(ci, ci.deploy), tags }, owned);
  const boundaryArn = iamArn(place, `policy/${boundary.name}`);
  for (const { id, description, document } of deployPolicies(config, place, tables, boundaryArn)) {
    const args = { name: resourceName(config, id), description, policy: document, tags };
    const policy = new aws.iam.Policy(id, args, { ...owned, ignoreChanges: ['description'] });
    new aws.iam.RolePolicyAttachment(id, { role: role.name, policyArn: policy.arn }, { parent: role });
  }
  return role;
}

function createMigrateRole({ config, policies, boundary, owned }: CiArgs, ci: CiSettings): aws.iam.Role {
  const trusted = {
    name: resourceName(config, 'migrate'),
    assumeRolePolicy: webIdentityTrust(ci, ci.migrate),
    tags: { ...stackTags(config) },
    ...under(boundary?.arn),
  };
  const role = new aws.iam.Role('migrate', trusted, owned);
  for (const { spec, resource } of policies.filter(({ spec: { purpose } }) => purpose === 'migration-runner')) {
    const args = { role: role.name, policyArn: resource.arn };
    new aws.iam.RolePolicyAttachment(`migrate-${spec.id}`, args, { parent: role });
  }
  return role;
}
