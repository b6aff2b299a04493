import type { Condition } from '../../../tables/model/condition.ts';
import type { Entity } from '../../../tables/model/entity.ts';
import type { KeyCondition, Pattern } from '../../../tables/model/pattern.ts';
import { operationOf } from '../../../tables/model/prove.ts';
import { type IndexKey, type KeySchema, keyParts, type Table } from '../../../tables/model/table.ts';
import { templatesOverlap } from '../../../tables/model/template.ts';
import type { ModelAnswer, ModelCell, ModelColumn, ModelPattern, ModelPlace } from '../wire-types.ts';
import { showCondition } from './show-condition.ts';

/** Which entity is in which index under which key, which pattern reads it, and which keys cannot be told apart. */
export function modelMap(table: Table): ModelAnswer {
  const schemas = [undefined, ...table.indexes];
  const columns = schemas.map((index): ModelColumn => {
    const { hash, range } = keyParts(index ?? table.key);
    return { index: index?.name ?? null, hash: hash.map(({ name }) => name), range: range.map(({ name }) => name) };
  });
  const rows = table.entities.map((entity) => ({
    entity: entity.name,
    description: entity.description,
    cells: schemas.map((index): ModelCell => ({ places: placesOf(entity, index ?? table.key), shared: [] })),
  }));
  const withShared = rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell, at) => ({
      ...cell,
      shared: rows
        .filter((other) => other !== row && overlap(cell.places, other.cells[at]?.places ?? []))
        .map(({ entity }) => entity),
    })),
  }));
  return { columns, rows: withShared, patterns: Object.values(table.patterns).map((pattern) => patternOf(table, pattern)) };
}

/** A record is in an index when every attribute of its key is there: derived, given or constant. */
function placesOf(entity: Entity, schema: KeySchema | IndexKey): readonly ModelPlace[] {
  const { hash, range } = keyParts(schema);
  const names = [...hash, ...range].map(({ name }) => name);
  const ways = names.reduce<readonly (readonly Source[])[]>(
    (found, name) => found.flatMap((way) => further(entity, way, name)),
    [[]],
  );
  return ways.map((way) => {
    const conditions = [...new Set(way.map(({ when }) => when))].filter((when) => when !== undefined);
    const templates = way.map(({ template }) => template);
    const when = conditions.map(showCondition).join(' and ') || null;
    return { hash: templates.slice(0, hash.length), range: templates.slice(hash.length), when };
  });
}

/** What one rule sets together stays together; else each with each. */
function further(entity: Entity, way: readonly Source[], name: string): readonly (readonly Source[])[] {
  const sources = sourcesOf(entity, name);
  const beside = sources.filter(({ when }) => way.some((one) => one.when === when));
  return (beside.length > 0 ? beside : sources).map((source) => [...way, source]);
}

interface Source {
  readonly template: string;
  readonly when: Condition | undefined;
}

function sourcesOf(entity: Entity, name: string): readonly Source[] {
  const derived = entity.derive.flatMap(({ set, when }) => {
    const template = set[name];
    return template === undefined ? [] : [{ template, when }];
  });
  if (derived.length > 0) return derived;
  const constant = entity.constants[name];
  if (constant !== undefined) return [{ template: constant, when: undefined }];
  return Object.hasOwn(entity.schema.shape, name) ? [{ template: `{${name}}`, when: undefined }] : [];
}

function overlap(own: readonly ModelPlace[], others: readonly ModelPlace[]): boolean {
  const partsOf = ({ hash, range }: ModelPlace): readonly string[] => [...hash, ...range];
  return own.some((a) => others.some((b) => partsOf(a).every((part, at) => templatesOverlap(part, partsOf(b)[at] ?? ''))));
}

function patternOf(table: Table, pattern: Pattern): ModelPattern {
  return {
    name: pattern.name,
    description: pattern.description,
    index: pattern.index ?? null,
    operation: operationOf(table, pattern),
    key: pattern.key.map(showKeyCondition),
    results: pattern.result.map(({ name }) => name),
    filter: pattern.filter === undefined ? null : showCondition(pattern.filter),
  };
}

const signs = { equals: '=', beginsWith: 'begins with', atLeast: '≥', atMost: '≤', greater: '>', less: '<' } as const;

function showKeyCondition(condition: KeyCondition): string {
  if (condition.op === 'window') return `${condition.attribute} from ${condition.from} to ${condition.to}`;
  return `${condition.attribute} ${signs[condition.op]} ${condition.value}`;
}
