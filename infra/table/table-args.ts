import type { TableShape } from '../../tables/model/shape/shape.ts';
import type { Limits, TableBilling } from '../../tables/model/stack/config/billing.ts';
import { billingOf, physicalName, pitrOf, type StackConfig } from '../../tables/model/stack/stack-config.ts';
import { tableTags } from '../../tables/model/stack/tags.ts';
import { type Index, keyAttributes, type Table } from '../../tables/model/table.ts';

interface KeyEntry {
  readonly attributeName: string;
  readonly keyType: 'HASH' | 'RANGE';
}

interface OnDemandThroughput {
  readonly maxReadRequestUnits: number;
  readonly maxWriteRequestUnits: number;
}

interface WarmThroughput {
  readonly readUnitsPerSecond?: number;
  readonly writeUnitsPerSecond?: number;
}

interface Throughput {
  readonly readCapacity?: number;
  readonly writeCapacity?: number;
  readonly onDemandThroughput?: OnDemandThroughput;
}

export interface IndexArgs extends Throughput {
  readonly warmThroughput?: WarmThroughput;
  readonly name: string;
  readonly keySchemas: KeyEntry[];
  readonly projectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly nonKeyAttributes?: string[];
}

interface TtlArgs {
  readonly enabled: boolean;
  readonly attributeName?: string;
}

/** The arguments of `aws.dynamodb.Table`, all but the encryption key, which exists only once it is created. */
export interface TableArgs extends Throughput {
  readonly warmThroughput?: WarmThroughput;
  readonly name: string;
  readonly billingMode: 'PAY_PER_REQUEST' | 'PROVISIONED';
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly attributes: { readonly name: string; readonly type: string }[];
  readonly globalSecondaryIndexes?: IndexArgs[];
  readonly ttl: TtlArgs;
  readonly pointInTimeRecovery: { readonly enabled: boolean; readonly recoveryPeriodInDays?: number };
  readonly deletionProtectionEnabled: boolean;
  readonly streamEnabled: boolean;
  readonly streamViewType?: string;
  readonly tableClass: string;
  readonly tags: Record<string, string>;
}

export function tableArgs(table: Table, config: StackConfig, released?: TableShape): TableArgs {
  const billing = billingOf(table, config);
  const { stream, warm, tableClass = 'STANDARD' } = config.tables[table.name] ?? {};
  const { enabled, recoveryDays } = pitrOf(table, config);
  return {
    name: physicalName(table, config),
    billingMode: billing.mode === 'provisioned' ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...throughput(billing, 'table'),
    ...warmArgs(warm),
    hashKey: table.key.hash.name,
    ...(table.key.range === undefined ? {} : { rangeKey: table.key.range.name }),
    // Only what a key uses: DynamoDB forgets any other attribute, and the difference would come back at every preview.
    attributes: keyAttributes(table).map(({ name, type }) => ({ name, type })),
    ...(table.indexes.length === 0
      ? {}
      : {
          globalSecondaryIndexes: table.indexes.map((index) =>
            indexArgs(index, { ...throughput(billing, index), ...warmArgs(warm?.indexes[index.name]) }),
          ),
        }),
    ttl: ttlArgs(table, released),
    pointInTimeRecovery: enabled ? { enabled, recoveryPeriodInDays: recoveryDays } : { enabled },
    deletionProtectionEnabled: config.protect,
    streamEnabled: stream !== undefined,
    ...(stream === undefined ? {} : { streamViewType: stream }),
    tableClass,
    tags: { ...tableTags(table, config) },
  };
}

/**
 * DynamoDB wants the attribute's name to switch a TTL off, and the provider sends the one from the arguments. So a TTL that
 * the released shape knows is named until it is off, also while another is to take its place: the second deployment
 * switches that on. Where there never was one, the provider sends nothing.
 */
function ttlArgs({ ttl }: Pick<Table, 'ttl'>, released: TableShape | undefined): TtlArgs {
  const deployed = released?.ttl ?? undefined;
  const isMoved = ttl !== undefined && deployed !== undefined && deployed !== ttl;
  if (ttl !== undefined && !isMoved) return { enabled: true, attributeName: ttl };
  const former = deployed ?? released?.formerTtl;
  return former === undefined ? { enabled: false } : { enabled: false, attributeName: former };
}

function warmArgs(
  warm: { readonly read?: number | undefined; readonly write?: number | undefined } | undefined,
): Pick<IndexArgs, 'warmThroughput'> {
  if (warm?.read === undefined && warm?.write === undefined) return {};
  const { read, write } = warm;
  return {
    warmThroughput: {
      ...(read === undefined ? {} : { readUnitsPerSecond: read }),
      ...(write === undefined ? {} : { writeUnitsPerSecond: write }),
    },
  };
}

function indexArgs(index: Index, capacity: Throughput & Pick<IndexArgs, 'warmThroughput'>): IndexArgs {
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

function indexKeys({ hash, range }: Index): KeyEntry[] {
  return [
    ...hash.map(({ name }) => ({ attributeName: name, keyType: 'HASH' as const })),
    ...range.map(({ name }) => ({ attributeName: name, keyType: 'RANGE' as const })),
  ];
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
