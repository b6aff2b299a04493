import { TablewrightError } from '../../../tables/model/error.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import { keyNames, listKeyNames, showKeyNames, type Table } from '../../../tables/model/table.ts';
import { nameAdvice } from '../../core/show/name-advice.ts';
import type { Action } from '../context.ts';
import { readStack } from '../read-stack.ts';
import type { Sheet } from '../show/screen.ts';
import { type Column, renderTable } from '../show/table.ts';
import type spec from './tables.spec.js';

const columns: readonly Column[] = [
  { title: 'table' },
  { title: 'system', rank: 2 },
  { title: 'key', rank: 0, least: 10 },
  { title: 'indexes', rank: 1, least: 14 },
  { title: 'ttl', rank: 4 },
  { title: 'entities', rank: 3, least: 16 },
];

const listTables: Action<typeof spec> = async (context, { table: wanted }) => {
  const config = await readStack(context.common.stack, context.root, context.catalogue, context.project);
  const named = context.catalogue.map((table) => ({ table, name: physicalName(table, config) }));
  if (wanted === undefined) {
    const rows = named.map(({ table, name }) => [
      name,
      table.system,
      keyNames(table.key).join(' / '),
      table.indexes.map((index) => index.name).join(', ') || '–',
      table.ttl ?? '–',
      table.entities.map((entity) => entity.name).join(', ') || '–',
    ]);
    const value = named.map(({ table, name }) => summary(table, name));
    context.output.result({ tables: value }, (page) => renderTable(page, columns, rows));
    return 0;
  }
  const found = named.find(({ table, name }) => table.name === wanted || name === wanted);
  if (found === undefined) {
    throw new TablewrightError('UNKNOWN_NAME', `there is no table ${wanted}`, {
      next: nameAdvice(
        wanted,
        named.map(({ table }) => table.name),
        named.map(({ name }) => name),
      ),
    });
  }
  context.output.result(summary(found.table, found.name), (page) => describe(page, found.table, found.name));
  return 0;
};

function summary(table: Table, name: string) {
  return {
    name,
    table: table.name,
    system: table.system,
    description: table.description,
    key: keyNames(table.key),
    indexes: table.indexes.map((index) => ({ name: index.name, ...listKeyNames(index), projection: index.projection })),
    ttl: table.ttl ?? null,
    entities: table.entities.map((entity) => ({ name: entity.name, attributes: Object.keys(entity.schema.shape) })),
    patterns: Object.values(table.patterns).map((pattern) => pattern.name),
  };
}

function describe(page: Sheet, table: Table, name: string): string {
  const indexes = table.indexes.map((index) => [
    index.name,
    showKeyNames(listKeyNames(index)),
    typeof index.projection === 'string' ? index.projection : `INCLUDE ${index.projection.include.join(', ')}`,
  ]);
  const entities = table.entities.map((entity) => [entity.name, entity.description, Object.keys(entity.schema.shape).join(', ')]);
  const patterns = Object.values(table.patterns).map((pattern) => [pattern.name, pattern.description]);
  return [
    `${name}: ${table.description}`,
    `key ${keyNames(table.key).join(' / ')}${table.ttl === undefined ? '' : `, ttl on ${table.ttl}`}`,
    ...(indexes.length === 0
      ? []
      : ['', renderTable(page, ['index', { title: 'key', rank: 0, least: 20 }, { title: 'projection', least: 12 }], indexes)]),
    ...(entities.length === 0
      ? []
      : ['', renderTable(page, ['entity', { title: 'what it is', least: 20 }, { title: 'attributes', least: 20 }], entities)]),
    ...(patterns.length === 0 ? [] : ['', renderTable(page, ['pattern', { title: 'what it gives', least: 20 }], patterns)]),
  ].join('\n');
}

export default listTables;
