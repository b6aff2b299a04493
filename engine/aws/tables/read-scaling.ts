import type { ScalableTarget, ScalingPolicy } from '@aws-sdk/client-application-auto-scaling';
import type { FoundScaling } from '../../core/tables/attachments.ts';
import { type ApplicationAutoScalingClient, scalingClient } from '../command-clients.ts';
import type { Patience } from '../patience.ts';
import { storeError } from '../store/store-error.ts';

export interface ScalingQuestion {
  readonly region: string;
  /** Where DynamoDB is, if that is not AWS. */
  readonly endpoint: string | undefined;
  readonly patience: Patience;
  readonly signal: AbortSignal;
}

/** So many resources may be asked for at once (Application Auto Scaling API reference, DescribeScalableTargets). */
const resourcesPerCall = 50;

/**
 * What scales these tables and indexes; undefined where the server has no such service. Policies are asked for only where
 * something scales, so a stack without any costs one call.
 */
export async function readScaling(
  { region, endpoint, patience, signal }: ScalingQuestion,
  resourceIds: readonly string[],
): Promise<readonly FoundScaling[] | undefined> {
  const client = await scalingClient({ region, endpoint, patience });
  try {
    const targets: ScalableTarget[] = [];
    for (let at = 0; at < resourceIds.length; at += resourcesPerCall) {
      targets.push(...(await targetsOf(client, resourceIds.slice(at, at + resourcesPerCall), signal)));
    }
    const policies: ScalingPolicy[] = [];
    for (const resourceId of new Set(targets.flatMap(({ ResourceId }) => ResourceId ?? []))) {
      policies.push(...(await policiesOf(client, resourceId, signal)));
    }
    return targets.map((target) => found(target, policies));
  } catch (error) {
    if (endpoint !== undefined && isRefused(error)) return undefined;
    throw storeError('Application Auto Scaling', error);
  } finally {
    client.destroy();
  }
}

/** A server of DynamoDB alone says that it does not know the call, each in its own way. */
function isRefused(error: unknown): boolean {
  const status = (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
  return status >= 400 && status <= 501;
}

async function targetsOf(
  client: ApplicationAutoScalingClient,
  ResourceIds: string[],
  abortSignal: AbortSignal,
): Promise<readonly ScalableTarget[]> {
  const { paginateDescribeScalableTargets } = await import('@aws-sdk/client-application-auto-scaling');
  const all: ScalableTarget[] = [];
  const request = { ServiceNamespace: 'dynamodb' as const, ResourceIds };
  for await (const page of paginateDescribeScalableTargets({ client }, request, { abortSignal })) {
    all.push(...(page.ScalableTargets ?? []));
  }
  return all;
}

async function policiesOf(
  client: ApplicationAutoScalingClient,
  ResourceId: string,
  abortSignal: AbortSignal,
): Promise<readonly ScalingPolicy[]> {
  const { paginateDescribeScalingPolicies } = await import('@aws-sdk/client-application-auto-scaling');
  const all: ScalingPolicy[] = [];
  const request = { ServiceNamespace: 'dynamodb' as const, ResourceId };
  for await (const page of paginateDescribeScalingPolicies({ client }, request, { abortSignal })) {
    all.push(...(page.ScalingPolicies ?? []));
  }
  return all;
}

function found(target: ScalableTarget, policies: readonly ScalingPolicy[]): FoundScaling {
  const { ResourceId = '', ScalableDimension = '', MinCapacity = 0, MaxCapacity = 0 } = target;
  const own = policies.find(
    (policy) =>
      policy.ResourceId === ResourceId &&
      policy.ScalableDimension === ScalableDimension &&
      policy.TargetTrackingScalingPolicyConfiguration !== undefined,
  );
  const percent = own?.TargetTrackingScalingPolicyConfiguration?.TargetValue ?? 0;
  return {
    resourceId: ResourceId,
    scalableDimension: ScalableDimension,
    min: MinCapacity,
    max: MaxCapacity,
    policy: own?.PolicyName === undefined ? undefined : { name: own.PolicyName, percent },
  };
}
