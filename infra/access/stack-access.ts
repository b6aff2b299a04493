import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import { stackTags } from '../../tables/model/stack/tags.ts';
import type { Owned } from '../owned.ts';
import type { PolicySpec } from './policies.ts';
import type { RoleSpec } from './roles.ts';

export interface Created<Spec, Resource> {
  readonly spec: Spec;
  readonly resource: Resource;
}

export type CreatedRole = Created<RoleSpec, aws.iam.Role>;
export type CreatedPolicy = Created<PolicySpec, aws.iam.Policy>;

/** The roles come first: the key's policy names them. */
export function createRoles(
  config: StackConfig,
  specs: readonly RoleSpec[],
  boundaryArn: pulumi.Input<string> | undefined,
  owned: Owned,
): readonly CreatedRole[] {
  return specs.map((spec) => {
    const { id, name, assumeRolePolicy } = spec;
    const args = { name, assumeRolePolicy, tags: { ...stackTags(config) }, ...under(boundaryArn) };
    return { spec, resource: new aws.iam.Role(id, args, owned) };
  });
}

/** The policies come after the key, because each names it. */
export function createPolicies(
  config: StackConfig,
  keyArn: pulumi.Output<string> | undefined,
  specs: readonly PolicySpec[],
  owned: Owned,
): readonly CreatedPolicy[] {
  return specs.map((spec) => {
    const { id, name, description, document } = spec;
    const args = {
      name,
      description,
      policy: keyArn === undefined ? document(undefined) : keyArn.apply(document),
      tags: { ...stackTags(config) },
    };
    // IAM cannot change a description: the policy would be deleted first, which fails as long as a role holds it.
    return { spec, resource: new aws.iam.Policy(id, args, { ...owned, ignoreChanges: ['description'] }) };
  });
}

export function attachPolicies(roles: readonly CreatedRole[], policies: readonly CreatedPolicy[]): void {
  for (const { spec: role, resource: parent } of roles) {
    for (const { spec, resource } of policies.filter((policy) => role.policies.includes(policy.spec.id))) {
      const args = { role: parent.name, policyArn: resource.arn };
      new aws.iam.RolePolicyAttachment(`${role.id}-${spec.id}`, args, { parent });
    }
  }
}

/** The most that a role may ever do, where a pipeline makes the roles. */
export function under(boundaryArn: pulumi.Input<string> | undefined): { readonly permissionsBoundary?: pulumi.Input<string> } {
  return boundaryArn === undefined ? {} : { permissionsBoundary: boundaryArn };
}
