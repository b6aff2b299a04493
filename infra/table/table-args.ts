import { type Index, type KeySchema, keyAttributes, type Table } from '../../tables/model/table.ts';
import type { Limits, TableBilling } from '../../tables/stack-config/billing.ts';
import { billingOf, physicalName, type StackConfig } from '../../tables/stack-config.ts';
import { tableTags } from '../tags.ts';

interface IndexKey {
  readonly attributeName: string;
  readonly keyType: 'HASH' | 'RANGE';
}

interface OnDemandThroughput {
  readonly maxReadRequestUnits: number;
  readonly maxWriteRequestUnits: number;
}

interface Throughput {
  readonly readCapacity?: number;
  readonly writeCapacity?: number;
  readonly onDemandThroughput?: OnDemandThroughput;
}

export interface IndexArgs extends Throughput {
  readonly name: string;
  readonly keySchemas: IndexKey[];
  readonly projectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly nonKeyAttributes?: string[];
}

/** The arguments of `aws.dynamodb.Table`, all but the encryption key, which exists only once it is created. */
export interface TableArgs extends Throughput {
  readonly name: string;
  readonly billingMode: 'PAY_PER_REQUEST' | 'PROVISIONED';
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly attributes: { readonly name: string; readonly type: string }[];
  readonly globalSecondaryIndexes?: IndexArgs[];
  readonly ttl: { readonly enabled: true; readonly attributeName: string } | { readonly enabled: false };
  readonly pointInTimeRecovery: { readonly enabled: boolean; readonly recoveryPeriodInDays?: number };
  readonly deletionProtectionEnabled: boolean;
  readonly streamEnabled: boolean;
  readonly streamViewType?: string;
  readonly tableClass: string;
  readonly tags: Record<string, string>;
}

export function tableArgs(table: Table, config: StackConfig): TableArgs {
  const billing = billingOf(table, config);
  const { stream, tableClass = 'STANDARD' } = config.tables[table.name] ?? {};
  const { enabled, recoveryDays } = config.pitr;
  return {
    name: physicalName(table, config),
    billingMode: billing.mode === 'provisioned' ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...throughput(billing, 'table'),
    hashKey: table.key.hash.name,
    ...(table.key.range === undefined ? {} : { rangeKey: table.key.range.name }),
    // Only what a key uses: DynamoDB forgets any other attribute, and the difference would come back at every preview.
    attributes: keyAttributes(table).map(({ name, type }) => ({ name, type })),
    ...(table.indexes.length === 0
      ? {}
      : { globalSecondaryIndexes: table.indexes.map((index) => indexArgs(index, throughput(billing, index))) }),
    // A disabled TTL takes no attribute; the provider refuses one.
    ttl: table.ttl === undefined ? { enabled: false } : { enabled: true, attributeName: table.ttl },
    pointInTimeRecovery: enabled ? { enabled, recoveryPeriodInDays: recoveryDays } : { enabled },
    deletionProtectionEnabled: config.protect,
    streamEnabled: stream !== undefined,
    ...(stream === undefined ? {} : { streamViewType: stream }),
    tableClass,
    tags: { ...tableTags(table, config) },
  };
}

function indexArgs(index: Index, capacity: Throughput): IndexArgs {
  const { projection } = index;
  return {
    name: index.name,
    keySchemas: indexKeys(index),
    ...(typeof projection === 'string'
      ? { projectionType: projection }
      : { projectionType: 'INCLUDE', nonKeyAttributes: [...projection.include] }),
    ...capacity,
  };
}

function indexKeys({ hash, range }: KeySchema): IndexKey[] {
  const first: IndexKey = { attributeName: hash.name, keyType: 'HASH' };
  return range === undefined ? [first] : [first, { attributeName: range.name, keyType: 'RANGE' }];
}

function throughput(billing: TableBilling, of: 'table' | Index): Throughput {
  if (billing.mode === 'on-demand') return maximum(of === 'table' ? billing.table : billing.indexes[of.name]);
  const { read, write } = (of === 'table' ? undefined : billing.indexes[of.name]) ?? billing.table;
  return { readCapacity: read, writeCapacity: write };
}

/** What DynamoDB takes for no maximum; a number that is left out would leave the former one (OnDemandThroughput). */
const noMaximum = -1;

function maximum(limits: Limits | undefined): Throughput {
  if (limits === undefined) return {};
  const units = (limit: Limits['read']) => (limit === 'off' ? noMaximum : limit);
  return { onDemandThroughput: { maxReadRequestUnits: units(limits.read), maxWriteRequestUnits: units(limits.write) } };
}
