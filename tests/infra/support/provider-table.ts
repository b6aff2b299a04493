import type { Inputs } from './registered.ts';

interface Ttl {
  readonly enabled: boolean;
  readonly attributeName?: string;
}

interface IndexInputs {
  readonly name: string;
  readonly readCapacity?: number;
  readonly writeCapacity?: number;
  readonly onDemandThroughput?: object;
}

/**
 * Why a change of a table's arguments does not do what it says. Seen with Pulumi 3.253, the AWS provider on
 * terraform-provider-aws 6.56 and an AWS emulator, or read in that provider's `internal/service/dynamodb/table.go`.
 */
export function tableRefusals(old: Inputs, next: Inputs): readonly string[] {
  return [
    ...ttlRefusals(old.ttl as Ttl, next.ttl as Ttl),
    ...maximumRefusals(old, next),
    ...indexRefusals(old, next),
    ...capacityRefusals(old, next),
  ];
}

/** The provider sees no difference where DynamoDB has none: a TTL that is off has no attribute, a list left out is computed. */
export function isSuppressed(name: string, old: Inputs, next: Inputs): boolean {
  if (name === 'ttl') return !(old.ttl as Ttl).enabled && !(next.ttl as Ttl).enabled;
  // With the indexes go the attributes of their keys; neither is sent.
  return (name === 'globalSecondaryIndexes' || name === 'attributes') && indexesOf(next).length === 0;
}

/** The provider sends the name from the arguments, and DynamoDB compares it with the one that is on. */
function ttlRefusals(old: Ttl, next: Ttl): readonly string[] {
  if (!old.enabled) return [];
  if (!next.enabled && next.attributeName === undefined) {
    return ["ValidationException: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint"];
  }
  if (next.attributeName === old.attributeName) return [];
  return [
    `ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is ${old.attributeName}`,
  ];
}

/** Arguments that travel in the same UpdateTable as the maximum; with one of them the request has content. */
const sameRequest = ['billingMode', 'readCapacity', 'writeCapacity', 'deletionProtectionEnabled', 'streamEnabled'];

function maximumRefusals(old: Inputs, next: Inputs): readonly string[] {
  const isOnDemand = next.billingMode === 'PAY_PER_REQUEST' && old.billingMode === 'PAY_PER_REQUEST';
  if (!isOnDemand) return [];
  const isTaken = old.onDemandThroughput !== undefined && next.onDemandThroughput === undefined;
  const hasContent = sameRequest.some((name) => old[name] !== next[name]);
  return [
    ...(isTaken && !hasContent
      ? ['ValidationException: UpdateTable: At least one of ProvisionedThroughput, BillingMode, … is required']
      : []),
    ...(isTaken && hasContent ? ['the maximum of the table stays'] : []),
    ...indexesOf(next).flatMap((index) => {
      const before = indexesOf(old).find(({ name }) => name === index.name);
      const stays = before?.onDemandThroughput !== undefined && index.onDemandThroughput === undefined;
      return stays ? [`the maximum of index ${index.name} stays`] : [];
    }),
  ];
}

/** The list is computed where it is left out or empty: nothing is dropped then. */
function indexRefusals(old: Inputs, next: Inputs): readonly string[] {
  if (indexesOf(next).length > 0) return [];
  return indexesOf(old).map(({ name }) => `index ${name} stays`);
}

/**
 * Capacities that are ignored are missing when a table turns from on-demand. For the table itself the provider takes that for auto
 * scaling's and sends 1; for an index it does not (`expandProvisionedThroughputField`, `validateGSIProvisionedThroughput`).
 */
function capacityRefusals(old: Inputs, next: Inputs): readonly string[] {
  const table = next as unknown as IndexInputs;
  const lacks = ({ readCapacity = 0, writeCapacity = 0 }: IndexInputs) => readCapacity < 1 || writeCapacity < 1;
  if (next.billingMode === 'PROVISIONED') {
    const isTurned = old.billingMode === 'PAY_PER_REQUEST';
    return [
      ...(lacks(table) && !isTurned ? ['ValidationException: ProvisionedThroughput must have values of 1 and more'] : []),
      ...(indexesOf(next).some(lacks) ? ['write capacity must be > 0 when billing mode is PROVISIONED'] : []),
    ];
  }
  return [table, ...indexesOf(next)].flatMap(({ name, readCapacity, onDemandThroughput }) =>
    readCapacity !== undefined && onDemandThroughput !== undefined
      ? [`${name}: "read_capacity": conflicts with on_demand_throughput`]
      : [],
  );
}

function indexesOf(inputs: Inputs): readonly IndexInputs[] {
  return (inputs.globalSecondaryIndexes ?? []) as readonly IndexInputs[];
}
