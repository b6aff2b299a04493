import { attributesOf, type Condition } from './condition.ts';
import type { Entity } from './entity.ts';
import { templateOf } from './item.ts';
import { isGet, type KeyCondition, openRange, type Pattern } from './pattern.ts';
import { keySchemaProblems } from './prove-keys.ts';
import { legacyProblems } from './prove-legacy.ts';
import { type Index, type IndexKey, keyAttributes, keyNames, keyParts, type Projection, type Table } from './table.ts';
import { literalPrefix, placeholdersOf, templateMayBeginWith, templatesOverlap } from './template.ts';

/**
 * Proves that each access pattern is one GetItem or Query that DynamoDB takes and that returns what it promises: every
 * record of its result entities that it should, whole, and no record of another entity.
 */
export function prove(tables: readonly Table[]): readonly string[] {
  return tables.flatMap((table) => [
    ...tableProblems(table),
    ...Object.values(table.patterns).flatMap((pattern) =>
      [...proofProblems(table, pattern), ...legacyProblems(table, pattern)].map((text) => `${pattern.name}: ${text}`),
    ),
  ]);
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

function schemaOf(table: Table, pattern: Pattern): IndexKey | undefined {
  return pattern.index === undefined ? keyParts(table.key) : table.indexes.find((index) => index.name === pattern.index);
}

/** Every hash attribute by equality, then the range attributes from the left, as DynamoDB takes them. */
function keyConditionProblems(table: Table, pattern: Pattern, schema: IndexKey): readonly string[] {
  const where = pattern.index === undefined ? table.name : `${table.name}.${pattern.index}`;
  const on = (name: string) => pattern.key.filter((condition) => condition.attribute === name);
  const others = pattern.key.filter((condition) => !keyNames(schema).includes(condition.attribute));
  if (others.length > 0) {
    const names = others.map((condition) => condition.attribute).join(', ');
    return [scanProblem(table, pattern, `${names} is no key of ${where}, whose key is ${keyNames(schema).join(' / ')}`)];
  }
  for (const { name } of schema.hash) {
    const [first, ...more] = on(name);
    const count = more.length + (first === undefined ? 0 : 1);
    if (count !== 1) {
      return [scanProblem(table, pattern, `the hash key ${name} of ${where} needs exactly one condition, found ${count}`)];
    }
    if (first?.op !== 'equals') {
      return [scanProblem(table, pattern, `the hash key ${name} of ${where} takes equality only, found ${first?.op}`)];
    }
  }
  return [
    ...schema.range.flatMap(({ name }) =>
      on(name).length > 1 ? [`the range key ${name} of ${where} takes one condition, found ${on(name).length}`] : [],
    ),
    ...rangeOrderProblems(pattern, schema, where),
    ...pattern.key.flatMap((condition) => rangeProblems(condition, schema)),
  ];
}

/** DynamoDB Developer Guide, "Multi-attribute keys pattern": range attributes from the left, equality on all but the last given. */
function rangeOrderProblems(pattern: Pattern, schema: IndexKey, where: string): readonly string[] {
  const open = openRange(schema, pattern);
  const names = schema.range.map(({ name }) => name);
  const later = open === undefined ? [] : names.slice(names.indexOf(open) + 1);
  const skipped = later
    .filter((name) => pattern.key.some(({ attribute }) => attribute === name))
    .map((name) => `the range key ${name} of ${where} has a condition, but ${open} before it has none by equality`);
  return [...skipped, ...optionalProblems(pattern, names, where)];
}

/** A condition whose parameter is left out falls away: what stands behind it must fall away with it. */
function optionalProblems(pattern: Pattern, names: readonly string[], where: string): readonly string[] {
  const optional = names.map((name) => {
    const condition = pattern.key.find(({ attribute }) => attribute === name);
    const params = condition === undefined ? [] : templatesIn(condition).flatMap(placeholdersOf);
    return { name, isGiven: condition !== undefined, isOptional: params.some((param) => isOptionalParam(pattern, param)) };
  });
  const first = optional.findIndex(({ isOptional }) => isOptional);
  if (first === -1) return [];
  return optional
    .slice(first + 1)
    .filter(({ isGiven, isOptional }) => isGiven && !isOptional)
    .map(
      ({ name }) => `the range key ${name} of ${where} is always given, but ${optional[first]?.name} before it may be left out`,
    );
}

function isOptionalParam(pattern: Pattern, name: string): boolean {
  const schema = pattern.params[name];
  const parsed = schema?.safeParse(undefined);
  return parsed?.success === true && parsed.data === undefined;
}

function rangeProblems(condition: KeyCondition, schema: IndexKey): readonly string[] {
  if (condition.op !== 'beginsWith') return [];
  const { attribute } = condition;
  if (schema.range.some(({ name, type }) => name === attribute && type === 'N')) {
    return [`beginsWith on ${attribute} is illegal: the range key is a number`];
  }
  return condition.value === '' ? [`beginsWith on ${attribute} with an empty text selects nothing; leave the condition out`] : [];
}

/** Says which index would make the pattern a Query. */
function scanProblem(table: Table, pattern: Pattern, reason: string): string {
  const wanted = pattern.key.map((condition) => condition.attribute);
  const equality = pattern.key.find(
    (condition) => condition.op === 'equals' && !keyNames(table.key).includes(condition.attribute),
  );
  const hash = equality?.attribute ?? 'an attribute that holds one value for all wanted records';
  const range = wanted.find((name) => name !== equality?.attribute);
  const usable = table.indexes.filter((index) =>
    index.hash.every(({ name }) => pattern.key.some((c) => c.op === 'equals' && c.attribute === name)),
  );
  const hint =
    usable.length > 0
      ? `Use index ${usable.map((index) => index.name).join(' or ')}, which has that hash`
      : `Missing: an index on ${table.name} with hash ${hash}${range === undefined || equality === undefined ? '' : ` and range ${range}`}`;
  return `${reason}; it would need a Scan. ${hint}.`;
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

/** DynamoDB refuses filters on the keys it queries by, and cannot filter on what the index does not hold. */
function filterProblems(table: Table, pattern: Pattern, schema: IndexKey): readonly string[] {
  if (pattern.filter === undefined) return [];
  const names = attributesOf(pattern.filter);
  const index = table.indexes.find((candidate) => candidate.name === pattern.index);
  const held = index === undefined || index.projection === 'ALL' ? undefined : heldBy(table, index, index.projection);
  const onKey = names.filter((name) => keyNames(schema).includes(name));
  const unheld = names.filter((name) => held !== undefined && !held.has(name));
  return [
    ...onKey.map((name) => `the filter names the key attribute ${name}; make it a key condition`),
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
  const constant = 'attribute' in filter ? entity.constants[filter.attribute] : undefined;
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

function setsAttribute(entity: Entity, name: string): boolean {
  return templatesFor(entity, name).length > 0;
}

/** The texts an attribute may take: derived by a rule, given by the writer, or constant. */
function templatesFor(entity: Entity, name: string): readonly string[] {
  const derived = entity.derive.flatMap((rule) => rule.set[name] ?? []);
  if (derived.length > 0) return derived;
  if (Object.hasOwn(entity.constants, name)) return [entity.constants[name] ?? ''];
  return name in entity.schema.shape ? [`{${name}}`] : [];
}

function templatesIn(condition: KeyCondition): readonly string[] {
  return condition.op === 'window' ? [condition.from, condition.to] : [condition.value];
}

function textOperands(condition: Condition): readonly string[] {
  if ('conditions' in condition) return condition.conditions.flatMap(textOperands);
  return 'value' in condition && typeof condition.value === 'string' ? [condition.value] : [];
}

/** What must hold for the entities of a table, whatever is asked of them. */
function tableProblems(table: Table): readonly string[] {
  return [
    ...table.entities.flatMap((entity) => entityProblems(table, entity)),
    ...ambiguous(table),
    ...keySchemaProblems(table),
  ].map((text) => `${table.name}: ${text}`);
}

function entityProblems(table: Table, entity: Entity): readonly string[] {
  const known = new Set([...Object.keys(entity.schema.shape), ...Object.keys(entity.constants)]);
  const keyless = keyNames(table.key).filter((name) => !setsAttribute(entity, name));
  const sources = entity.derive.flatMap((rule) => [
    ...Object.values(rule.set).flatMap(placeholdersOf),
    ...(rule.when === undefined ? [] : attributesOf(rule.when)),
  ]);
  const unknown = [...new Set([...sources, ...(entity.ttl === undefined ? [] : [entity.ttl.from])])].filter(
    (name) => !known.has(name),
  );
  const keys = new Set(keyAttributes(table).map((attribute) => attribute.name));
  const given = Object.keys(entity.schema.shape).filter((name) => keys.has(name) && templateOf(entity, name) !== undefined);
  return [
    ...keyless.map((name) => `${entity.name} does not set the key attribute ${name}`),
    ...unknown.map((name) => `${entity.name} derives from ${name}, which is none of its attributes`),
    ...given.map((name) => `${entity.name} takes ${name} from the writer and also derives it`),
    ...entity.companions.flatMap((companion) => companionProblems(table, entity, companion.entity)),
    ...(entity.ttl !== undefined && table.ttl === undefined
      ? [`${entity.name} has a ttl rule, but the table has no ttl attribute`]
      : []),
  ];
}

/** A companion is made of its owner's attributes alone, so that it can be written wherever the owner is. */
function companionProblems(table: Table, owner: Entity, companion: Entity): readonly string[] {
  if (!table.entities.includes(companion)) return [`${owner.name} has the companion ${companion.name}, which is no entity here`];
  const foreign = Object.keys(companion.schema.shape).filter((name) => !Object.hasOwn(owner.schema.shape, name));
  return foreign.map((name) => `${companion.name} goes with ${owner.name}, which has no ${name}`);
}

/** Two entities must never share a primary key, or one would overwrite the other. */
function ambiguous(table: Table): readonly string[] {
  return table.entities.flatMap((a, at) =>
    table.entities.slice(at + 1).flatMap((b) => {
      const shared = keyNames(table.key).every((name) =>
        templatesFor(a, name).some((left) => templatesFor(b, name).some((right) => templatesOverlap(left, right))),
      );
      return shared ? [`${a.name} and ${b.name} may have the same primary key`] : [];
    }),
  );
}

/** What a pattern costs a caller to know: which call it is. */
export function operationOf(table: Table, pattern: Pattern): 'GetItem' | 'Query' | 'Query + BatchGetItem' {
  if (isGet(pattern, table.key.range?.name)) return 'GetItem';
  return pattern.hydrate === true ? 'Query + BatchGetItem' : 'Query';
}
