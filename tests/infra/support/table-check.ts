import { billingOf, physicalName, type StackConfig, tablesOf } from '../../../tables/model/stack/stack-config.ts';
import { keyAttributes, type Table } from '../../../tables/model/table.ts';
import { tables as catalogue } from '../../support/project.ts';
import { keyArn } from './fake-aws.ts';
import { ofType, type Registered, tableType } from './registered.ts';

/** Where the registered tables differ from what the catalogue and the stack file ask for; each difference as a sentence. */
export function tableProblems(resources: readonly Registered[], config: StackConfig): readonly string[] {
  const wanted = tablesOf(config, catalogue);
  const found = ofType(resources, tableType);
  const extra = found.filter(({ name }) => !wanted.some((table) => table.name === name));
  return [
    ...extra.map(({ name }) => `${name}: registered, and not in the catalogue`),
    ...wanted.flatMap((table) => {
      const registered = found.filter(({ name }) => name === table.name);
      if (registered.length !== 1) return [`${table.name}: registered ${registered.length} times`];
      return [
        ...inputProblems(table, config, registered[0] as Registered),
        ...optionProblems(table, config, registered[0] as Registered),
      ];
    }),
  ];
}

function inputProblems(table: Table, config: StackConfig, { inputs }: Registered): readonly string[] {
  const billing = billingOf(table, config);
  const capacity = (index?: string) => {
    if (billing.mode === 'provisioned') {
      const { read, write } = index === undefined ? billing.table : (billing.indexes[index] ?? billing.table);
      return { readCapacity: read, writeCapacity: write };
    }
    const most = index === undefined ? billing.table : billing.indexes[index];
    return most === undefined ? {} : { onDemandThroughput: { maxReadRequestUnits: most.read, maxWriteRequestUnits: most.write } };
  };
  const settings = config.tables[table.name];
  const expected: Readonly<Record<string, unknown>> = {
    __defaults: undefined,
    name: physicalName(table, config),
    hashKey: table.key.hash.name,
    rangeKey: table.key.range?.name,
    attributes: keyAttributes(table),
    billingMode: billing.mode === 'provisioned' ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...{ readCapacity: undefined, writeCapacity: undefined, onDemandThroughput: undefined, ...capacity() },
    globalSecondaryIndexes:
      table.indexes.length === 0
        ? undefined
        : table.indexes.map((index) => ({
            name: index.name,
            keySchemas: [
              ...index.hash.map(({ name }) => ({ attributeName: name, keyType: 'HASH' })),
              ...index.range.map(({ name }) => ({ attributeName: name, keyType: 'RANGE' })),
            ],
            projectionType: typeof index.projection === 'string' ? index.projection : 'INCLUDE',
            ...capacity(index.name),
          })),
    ttl: table.ttl === undefined ? { enabled: false } : { enabled: true, attributeName: table.ttl },
    pointInTimeRecovery:
      (settings?.pitr?.enabled ?? config.pitr.enabled)
        ? { enabled: true, recoveryPeriodInDays: config.pitr.recoveryDays }
        : { enabled: false },
    serverSideEncryption: { enabled: true, kmsKeyArn: keyArn },
    deletionProtectionEnabled: config.production,
    streamEnabled: settings?.stream !== undefined,
    streamViewType: settings?.stream,
    tableClass: settings?.tableClass ?? 'STANDARD',
    tags: { Service: table.system, ...settings?.tags, Environment: config.environment ?? config.stack, Table: table.name },
  };
  const names = [...new Set([...Object.keys(expected), ...Object.keys(inputs)])];
  return names.flatMap((name) => differs(`${table.name}.${name}`, expected[name], inputs[name]));
}

function optionProblems(table: Table, config: StackConfig, { options }: Registered): readonly string[] {
  const scaled = billingOf(table, config).mode === 'provisioned';
  const indexes = table.indexes.flatMap((_, at) => [
    `globalSecondaryIndexes[${at}].readCapacity`,
    `globalSecondaryIndexes[${at}].writeCapacity`,
  ]);
  return [
    ...differs(`${table.name}: protect`, config.production, options.protect),
    ...differs(
      `${table.name}: ignoreChanges`,
      scaled ? ['readCapacity', 'writeCapacity', ...indexes] : [],
      options.ignoreChanges,
    ),
    ...differs(`${table.name}: parent`, `tablewright:dynamodb:DynamoTable::${table.name}`, options.parent),
  ];
}

function differs(place: string, expected: unknown, found: unknown): readonly string[] {
  const [wanted, actual] = [sorted(expected), sorted(found)];
  return wanted === actual ? [] : [`${place}: expected ${wanted}, found ${actual}`];
}

/** JSON with the keys of objects in order, so that two equal values read the same. */
function sorted(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'none'
  );
}
