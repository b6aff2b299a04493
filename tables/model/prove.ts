import { attributeOf } from './attribute-value.ts';
import { attributesOf, type Condition } from './condition.ts';
import type { Entity } from './entity.ts';
import { TablewrightError } from './error.ts';
import { formerPattern, isGet, type KeyCondition, type Pattern, templatesIn } from './pattern.ts';
import { filterKeyProblems, keyConditionProblems, scanProblem } from './prove-conditions.ts';
import { entitiesProblems, setsAttribute, templatesFor } from './prove-entities.ts';
import { legacyProblems } from './prove-legacy.ts';
import { type Index, type IndexKey, keyNames, keyParts, type Projection, type Table } from './table.ts';
import { literalPrefix, placeholdersOf, templateMayBeginWith, templatesOverlap } from './template.ts';

/**
 * Proves that each access pattern is one GetItem or Query that DynamoDB takes and that returns what it promises: every
 * record of its result entities that it should, whole, and no record of another entity.
 */
export function prove(tables: readonly Table[]): readonly string[] {
  return tables.flatMap((table) => [
    ...entitiesProblems(table),
    ...Object.values(table.patterns).flatMap((pattern) =>
      [...proofProblems(table, pattern), ...formerProblems(table, pattern), ...legacyProblems(table, pattern)].map(
        (text) => `${pattern.name}: ${text}`,
      ),
    ),
  ]);
}

/** Nothing works with a catalogue that does not hold, and nothing deploys it: DynamoDB would take it and refuse what it is for. */
export function checkCatalogue(tables: readonly Table[]): void {
  const problems = prove(tables);
  if (problems.length === 0) return;
  throw new TablewrightError('BAD_CATALOGUE', 'the catalogue does not hold', {
    problems,
    next: 'Correct the table file that each line names.',
  });
}

export function proofProblems(table: Table, pattern: Pattern): readonly string[] {
  const schema = schemaOf(table, pattern);
  if (schema === undefined) return [scanProblem(table, pattern, `index ${pattern.index} does not exist on ${table.name}`)];
  const shape = keyConditionProblems(table, pattern, schema);
  if (shape.length > 0) return [...shape, ...parameterProblems(pattern)];
  return [
    ...parameterProblems(pattern),
    ...resultProblems(table, pattern, schema),
    ...projectionProblems(table, pattern),
    ...filterProblems(table, pattern, schema),
    ...leakProblems(table, pattern, schema),
  ];
}

/** The Query before it must be a legal one, too. */
function formerProblems(table: Table, pattern: Pattern): readonly string[] {
  const former = formerPattern(pattern);
  return former === undefined ? [] : proofProblems(table, former).map((text) => `legacy: ${text}`);
}

function schemaOf(table: Table, pattern: Pattern): IndexKey | undefined {
  return pattern.index === undefined ? keyParts(table.key) : table.indexes.find((index) => index.name === pattern.index);
}

function parameterProblems(pattern: Pattern): readonly string[] {
  const used = new Set([
    ...pattern.key.flatMap(templatesIn).flatMap(placeholdersOf),
    ...(pattern.filter === undefined ? [] : textOperands(pattern.filter).flatMap(placeholdersOf)),
    ...(typeof pattern.limit === 'string' ? [pattern.limit] : []),
  ]);
  const declared = new Set(Object.keys(pattern.params));
  const undeclared = [...used].filter((name) => !declared.has(name)).map((name) => `parameter ${name} is used but not declared`);
  const unused = [...declared].filter((name) => !used.has(name)).map((name) => `parameter ${name} is declared but not used`);
  const limit = typeof pattern.limit === 'number' && pattern.limit < 1 ? [`limit ${pattern.limit} must be at least 1`] : [];
  const foreign = Object.keys(pattern.example).filter((name) => !declared.has(name));
  return [...undeclared, ...unused, ...limit, ...foreign.map((name) => `example value ${name} is no parameter`)];
}

/** Each result entity must be able to stand under the key that is asked for. */
function resultProblems(table: Table, pattern: Pattern, schema: IndexKey): readonly string[] {
  if (pattern.result.length === 0) return ['no result entity is named'];
  return pattern.result.flatMap((entity) => {
    if (!table.entities.includes(entity)) return [`result ${entity.name} is no entity of ${table.name}`];
    const absent = keyNames(schema).filter((name) => !setsAttribute(entity, name));
    if (absent.length > 0) {
      return [`${entity.name} never has ${absent.join(', ')}, so it never stands in ${pattern.index ?? table.name}`];
    }
    const conflict = pattern.key.find((condition) => !mayMatch(entity, condition));
    return conflict === undefined ? [] : [unmatched(entity, conflict)];
  });
}

function unmatched(entity: Entity, condition: KeyCondition): string {
  const asked = templatesIn(condition).join(' … ');
  return `${entity.name} writes ${condition.attribute} as ${templatesFor(entity, condition.attribute).join(' or ')}, which ${asked} never matches`;
}

/** The projection must hold the result, or the whole records are fetched by their keys. */
function projectionProblems(table: Table, pattern: Pattern): readonly string[] {
  const index = table.indexes.find((candidate) => candidate.name === pattern.index);
  if (index === undefined || pattern.hydrate === true) {
    return pattern.hydrate === true && index === undefined
      ? ['hydrate is declared, but the table itself holds whole records']
      : [];
  }
  if (index.projection === 'ALL') {
    return [];
  }
  const held = heldBy(table, index, index.projection);
  const needed = pattern.answer === 'exists' ? [] : pattern.result.flatMap((entity) => Object.keys(entity.schema.shape));
  const lacking = [...new Set(needed)].filter((name) => !held.has(name));
  return lacking.length === 0
    ? []
    : [`index ${index.name} does not hold ${lacking.join(', ')}; declare hydrate: true, or project them`];
}

function heldBy(table: Table, index: Index, projection: Exclude<Projection, 'ALL'>): ReadonlySet<string> {
  const included = projection === 'KEYS_ONLY' ? [] : projection.include;
  return new Set([...keyNames(table.key), ...keyNames(index), ...included]);
}

/** Beside the keys that it queries by, DynamoDB cannot filter on what the index does not hold. */
function filterProblems(table: Table, pattern: Pattern, schema: IndexKey): readonly string[] {
  if (pattern.filter === undefined) return [];
  const names = attributesOf(pattern.filter);
  const index = table.indexes.find((candidate) => candidate.name === pattern.index);
  const held = index === undefined || index.projection === 'ALL' ? undefined : heldBy(table, index, index.projection);
  const unheld = names.filter((name) => held !== undefined && !held.has(name));
  return [
    ...filterKeyProblems(pattern, schema),
    ...unheld.map((name) => `the filter names ${name}, which index ${index?.name} does not hold`),
  ];
}

/** Another entity whose records would come along must be kept out by the filter. */
function leakProblems(table: Table, pattern: Pattern, schema: IndexKey): readonly string[] {
  return table.entities
    .filter((entity) => !pattern.result.includes(entity))
    .filter((entity) => keyNames(schema).every((name) => setsAttribute(entity, name)))
    .filter((entity) => pattern.key.every((condition) => mayMatch(entity, condition)))
    .filter((entity) => !excludes(pattern.filter, entity))
    .map((entity) => `would also return ${entity.name} records; filter them out or name ${entity.name} in result`);
}

function excludes(filter: Condition | undefined, entity: Entity): boolean {
  if (filter === undefined) return false;
  if (filter.op === 'all') return filter.conditions.some((part) => excludes(part, entity));
  if (filter.op === 'any') return filter.conditions.every((part) => excludes(part, entity));
  const constant = 'attribute' in filter ? attributeOf(entity.constants, filter.attribute) : undefined;
  if (constant === undefined) return false;
  if (filter.op === 'equals') return filter.value !== constant;
  return filter.op === 'oneOf' && !filter.values.includes(constant);
}

function mayMatch(entity: Entity, condition: KeyCondition): boolean {
  const own = templatesFor(entity, condition.attribute);
  if (condition.op === 'equals') return own.some((template) => templatesOverlap(template, condition.value));
  if (condition.op === 'beginsWith') return own.some((template) => templateMayBeginWith(template, condition.value));
  if (condition.op === 'window') return own.some((template) => windowMayHold(template, condition));
  return true;
}

/** A fixed prefix on both sides of a window that differs from the entity's own keeps the entity out. */
function windowMayHold(template: string, bounds: { readonly from: string; readonly to: string }): boolean {
  const prefixes = [literalPrefix(bounds.from), literalPrefix(bounds.to)];
  if (prefixes[0] !== prefixes[1] || prefixes[0] === '') return true;
  return templateMayBeginWith(template, prefixes[0] ?? '');
}

function textOperands(condition: Condition): readonly string[] {
  if ('conditions' in condition) return condition.conditions.flatMap(textOperands);
  return 'value' in condition && typeof condition.value === 'string' ? [condition.value] : [];
}

/** What a pattern costs a caller to know: which call it is. */
export function operationOf(table: Table, pattern: Pattern): 'GetItem' | 'Query' | 'Query + BatchGetItem' {
  if (isGet(pattern, table.key.range?.name)) return 'GetItem';
  return pattern.hydrate === true ? 'Query + BatchGetItem' : 'Query';
}
