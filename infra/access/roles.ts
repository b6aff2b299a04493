import type { RoleSettings } from '../../tables/stack-config/access.ts';
import type { StackConfig } from '../../tables/stack-config.ts';
import { iamArn, type Place, stackName } from '../place.ts';
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

/** The roles that the stack's file asks for. */
export function rolesOf(config: StackConfig, place: Place, policies: readonly PolicySpec[]): readonly RoleSpec[] {
  return Object.entries(config.roles).map(([id, role]) => {
    const name = stackName(config.stack, id);
    return {
      id,
      name,
      arn: iamArn(place, `role/${name}`),
      assumeRolePolicy: trustPolicy(role),
      policies: policies.filter((policy) => holds(role, policy)).map((policy) => policy.id),
    };
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
