import { TablewrightError } from '../../tables/model/error.ts';
import { type AwsPlace, iamArn, resourceName } from '../../tables/model/stack/aws-place.ts';
import { policiesPerRole, type RoleSettings } from '../../tables/model/stack/config/access.ts';
import type { StackConfig } from '../../tables/model/stack/stack-config.ts';
import type { PolicySpec } from './policies.ts';
import { policyDocument } from './statement.ts';

export interface RoleSpec {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  readonly assumeRolePolicy: string;
  /** The ids of the policies that it holds. */
  readonly policies: readonly string[];
}

/** The roles that the stack's file asks for. One that IAM would refuse is refused here, before anything is registered. */
export function rolesOf(config: StackConfig, place: AwsPlace, policies: readonly PolicySpec[]): readonly RoleSpec[] {
  const roles = Object.entries(config.roles).map(([id, role]) => {
    const name = resourceName(config, id);
    return {
      id,
      name,
      arn: iamArn(place, `role/${name}`),
      assumeRolePolicy: trustPolicy(role),
      policies: policies.filter((policy) => holds(role, policy)).map((policy) => policy.id),
    };
  });
  const problems = roles
    .filter((role) => role.policies.length > policiesPerRole)
    .map(({ id, policies: held }) => {
      const found = `found ${held.length}: ${held.join(', ')}`;
      return `tablewright:roles.${id}: expected at most ${policiesPerRole} policies for a role, ${found}`;
    });
  if (problems.length === 0) return roles;
  throw new TablewrightError('BAD_CONFIG', `Pulumi.${config.stack}.yaml has roles that IAM would refuse`, {
    problems,
    next: 'Make two roles of each, with fewer policies or systems. A policy of many tables counts once for each of its parts.',
  });
}

function holds({ policies, systems }: RoleSettings, { purpose, system }: PolicySpec): boolean {
  if (!policies.includes(purpose)) return false;
  return system === undefined || systems === undefined || systems.includes(system);
}

function trustPolicy({ principals, services }: RoleSettings): string {
  return policyDocument([
    {
      Sid: 'Trust',
      Effect: 'Allow',
      Principal: {
        ...(principals.length === 0 ? {} : { AWS: principals }),
        ...(services.length === 0 ? {} : { Service: services }),
      },
      Action: 'sts:AssumeRole',
    },
  ]);
}
