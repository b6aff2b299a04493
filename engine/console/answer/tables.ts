import { patternsOf } from '../../../tables/model/project.ts';
import { operationOf } from '../../../tables/model/prove.ts';
import { type Schema, viewSchema } from '../../../tables/model/schema-view.ts';
import { keyNames } from '../../../tables/model/table.ts';
import { findTable } from '../../cli/transfer/find-table.ts';
import { tableOf } from '../../core/read/checked-call.ts';
import { isReversible } from '../../core/read/read-options.ts';
import type { ConsoleEnvironment } from '../console-environment.ts';
import { modelMap } from '../view/model-map.ts';
import type { AttributeShape, PatternAnswer, TableAnswer } from '../wire-types.ts';

function shapeOf(name: string, schema: Schema): AttributeShape {
  const { kind, time } = viewSchema(schema);
  return { name, kind, time: time ?? null };
}

/** A table as the catalogue has it. */
export function tableAnswer({ stack }: ConsoleEnvironment, name: string): TableAnswer {
  const { table, tableName } = findTable(stack, name);
  return {
    table: table.name,
    name: tableName,
    system: table.system,
    description: table.description,
    key: keyNames(table.key),
    ttl: table.ttl ?? null,
    indexes: table.indexes.map((index) => ({
      name: index.name,
      hash: index.hash.map((part) => part.name),
      range: index.range.map((part) => part.name),
      projection: typeof index.projection === 'string' ? index.projection : `INCLUDE ${index.projection.include.join(', ')}`,
    })),
    entities: table.entities.map(({ name: entity, description, schema }) => ({
      name: entity,
      description,
      attributes: Object.entries(schema.shape).map(([attribute, shape]) => shapeOf(attribute, shape as Schema)),
    })),
    model: modelMap(table),
  };
}

/** Every pattern with what its form needs. */
export function patternsAnswer({ stack }: ConsoleEnvironment): readonly PatternAnswer[] {
  return patternsOf(stack.tables).map((pattern) => ({
    name: pattern.name,
    table: pattern.table,
    description: pattern.description,
    operation: operationOf(tableOf(stack.tables, pattern), pattern),
    index: pattern.index ?? null,
    params: Object.entries(pattern.params).map(([name, schema]) => ({
      ...shapeOf(name, schema),
      choices: viewSchema(schema).choices,
      optional: schema.safeParse(undefined).success,
      example: pattern.example[name] ?? '',
    })),
    results: pattern.result.map(({ name }) => name),
    legacy: pattern.legacy !== undefined,
    reversible: isReversible({ pattern, table: tableOf(stack.tables, pattern) }),
    consistent: pattern.index === undefined,
  }));
}
