import { readFileSync } from 'node:fs';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { parse } from 'yaml';

type Key = string | readonly [name: string, type: 'N'];

interface Made {
  readonly table: CreateTableCommandInput;
  readonly ttl?: string;
}

const nameOf = (key: Key): string => (typeof key === 'string' ? key : key[0]);
const schema = ([hash, range]: readonly Key[]) => [
  { AttributeName: nameOf(hash as Key), KeyType: 'HASH' as const },
  ...(range === undefined ? [] : [{ AttributeName: nameOf(range), KeyType: 'RANGE' as const }]),
];

/** A table as somebody makes it by hand, from what the sources write down about it. */
function made(
  name: string,
  key: readonly Key[],
  indexes: Readonly<Record<string, readonly Key[]>>,
  more: { readonly ttl?: string; readonly keysOnly?: readonly string[]; readonly tags?: Readonly<Record<string, string>> } = {},
): Made {
  const all = [...key, ...Object.values(indexes).flat()];
  const types = new Map(all.map((one) => [nameOf(one), typeof one === 'string' ? ('S' as const) : ('N' as const)]));
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, keys]) => ({
    IndexName,
    KeySchema: schema(keys),
    Projection: { ProjectionType: more.keysOnly?.includes(IndexName) ? ('KEYS_ONLY' as const) : ('ALL' as const) },
  }));
  return {
    table: {
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      KeySchema: schema(key),
      ...(GlobalSecondaryIndexes.length === 0 ? {} : { GlobalSecondaryIndexes }),
      Tags: Object.entries(more.tags ?? {}).map(([Key, Value]) => ({ Key, Value })),
    },
    ...(more.ttl === undefined ? {} : { ttl: more.ttl }),
  };
}

const byCloudFormation = (stack: string, logicalId: string): Readonly<Record<string, string>> => ({
  'aws:cloudformation:stack-name': stack,
  'aws:cloudformation:logical-id': logicalId,
});

type Properties = CreateTableCommandInput & { readonly TimeToLiveSpecification: { readonly AttributeName: string } };

/** 003's template as it stands there, word for word; the owner's tag beside its own. */
function scanner(stack: string): Made {
  const text = readFileSync(new URL('./scanner-template.yaml', import.meta.url), 'utf8');
  const { Resources } = parse(text) as {
    readonly Resources: { readonly BacktestResultsTable: { readonly Properties: Properties } };
  };
  const { TimeToLiveSpecification, Tags = [], ...table } = Resources.BacktestResultsTable.Properties;
  return {
    table: { ...table, TableName: `${table.TableName}-${stack}`, Tags: [...Tags, { Key: 'Project', Value: 'crypto-backtest' }] },
    ttl: TimeToLiveSpecification.AttributeName,
  };
}

/**
 * The four systems' tables as their sources have them, for a stack of this name: 000's and 001's by CloudFormation, the MVP of
 * 002 and 004 without the indexes that came later, 003's by its template and by hand.
 */
export function sourcesTables(stack: string): readonly Made[] {
  const trading = {
    ...made(
      `oms_trading_data_${stack}`,
      ['PK', 'SK'],
      { GSI1: ['GSI1_PK', 'GSI1_SK'], GSI2: ['GSI2_PK', 'GSI2_SK'], GSI3: ['GSI3_PK', 'GSI3_SK'] },
      { ttl: 'ttl', keysOnly: ['GSI2'], tags: byCloudFormation(`oms-trading-${stack}`, 'TradingTable') },
    ),
  };
  const encrypted = { ...trading, table: { ...trading.table, SSESpecification: { Enabled: true, SSEType: 'KMS' as const } } };
  return [
    made(`oms_config_${stack}`, ['PK', 'SK'], {}, { tags: byCloudFormation(`oms-config-${stack}`, 'ConfigTable') }),
    encrypted,
    ...['markets', 'orders', 'trades', 'positions'].map((name) => made(`${name}-${stack}`, ['id'], {})),
    made(`control-${stack}`, ['name'], {}),
    scanner(stack),
    made(`crypto-trading-positions-${stack}`, ['symbol', ['signal_timestamp', 'N']], {
      StatusIndex: ['status', ['signal_timestamp', 'N']],
      ConfidenceIndex: ['status', ['confidence', 'N']],
    }),
    made(`crypto-scan-history-${stack}`, ['scan_id'], {}),
    made(`crypto-active-coins-${stack}`, ['symbol'], {}),
    made(`order-management-${stack}`, ['PK', 'SK'], { GSI1: ['SK', 'PK'] }),
  ];
}
