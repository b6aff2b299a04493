import { attributesOf } from './condition.ts';
import { decimalProblem } from './decimal.ts';
import { isGet, isOptionalParam, type KeyCondition, openRange, type Pattern, templatesIn } from './pattern.ts';
import { viewSchema } from './schema-view.ts';
import { type IndexKey, keyNames, listKeyNames, showKeyNames, type Table } from './table.ts';
import { parseTemplate, placeholdersOf } from './template.ts';

/** Every hash attribute by equality, then the range attributes from the left, as DynamoDB takes them. */
export function keyConditionProblems(table: Table, pattern: Pattern, schema: IndexKey): readonly string[] {
  const where = pattern.index === undefined ? table.name : `${table.name}.${pattern.index}`;
  const on = (name: string) => pattern.key.filter((condition) => condition.attribute === name);
  const others = pattern.key.filter((condition) => !keyNames(schema).includes(condition.attribute));
  if (others.length > 0) {
    const names = others.map((condition) => condition.attribute).join(', ');
    return [scanProblem(table, pattern, `${names} is no key of ${where}, whose key is ${showKeyNames(listKeyNames(schema))}`)];
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
    ...neededProblems(table, pattern, schema, where),
    ...rangeOrderProblems(pattern, schema, where),
    ...pattern.key.flatMap((condition) => rangeProblems(condition, schema)),
    ...pattern.key.flatMap((condition) => valueProblems(condition, schema)),
    ...pattern.key.flatMap((condition) => bytesProblems(pattern, condition, schema)),
  ];
}

/** A Query has a value for every attribute of the partition, a GetItem for its whole key: these parameters cannot be left out. */
function neededProblems(table: Table, pattern: Pattern, { hash, range }: IndexKey, where: string): readonly string[] {
  const needed = isGet(pattern, table.key.range?.name) ? [...hash, ...range] : hash;
  return needed.flatMap(({ name }) =>
    optionalParams(pattern, name).map((param) => `the key ${name} of ${where} is always asked for, but ${param} may be left out`),
  );
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
  const optional = names.map((name) => ({
    name,
    isGiven: pattern.key.some(({ attribute }) => attribute === name),
    isOptional: optionalParams(pattern, name).length > 0,
  }));
  const first = optional.findIndex(({ isOptional }) => isOptional);
  if (first === -1) return [];
  return optional
    .slice(first + 1)
    .filter(({ isGiven, isOptional }) => isGiven && !isOptional)
    .map(
      ({ name }) => `the range key ${name} of ${where} is always given, but ${optional[first]?.name} before it may be left out`,
    );
}

/** The parameters of an attribute's conditions that may be left out. */
function optionalParams(pattern: Pattern, name: string): readonly string[] {
  const params = pattern.key
    .filter(({ attribute }) => attribute === name)
    .flatMap(templatesIn)
    .flatMap(placeholdersOf);
  return [...new Set(params)].filter((param) => isOptionalParam(pattern, param));
}

function rangeProblems(condition: KeyCondition, schema: IndexKey): readonly string[] {
  if (condition.op !== 'beginsWith') return [];
  const { attribute } = condition;
  if (schema.range.some(({ name, type }) => name === attribute && type === 'N')) {
    return [`beginsWith on ${attribute} is illegal: the range key is a number`];
  }
  return condition.value === '' ? [`beginsWith on ${attribute} with an empty text selects nothing; leave the condition out`] : [];
}

/** What no key is equal to, whatever the parameters are: an empty text, or a number that is put together with one. */
function valueProblems(condition: KeyCondition, { hash, range }: IndexKey): readonly string[] {
  const { attribute, op } = condition;
  const isNumber = [...hash, ...range].some(({ name, type }) => name === attribute && type === 'N');
  return templatesIn(condition).flatMap((template) => {
    if (template === '') return op === 'beginsWith' ? [] : [`${attribute} is compared with an empty text, which no key is`];
    const [part, ...more] = parseTemplate(template);
    const mayBeNumber = more.length === 0 && (typeof part !== 'string' || decimalProblem(part) === undefined);
    return isNumber && !mayBeNumber ? [`${attribute} is a number, which ${template} never is`] : [];
  });
}

/** Bytes are a parameter as it is: nothing can be put together with them, and no text is made of them. */
function bytesProblems({ params }: Pattern, condition: KeyCondition, { hash, range }: IndexKey): readonly string[] {
  const { attribute } = condition;
  const isBytes = [...hash, ...range].some(({ name, type }) => name === attribute && type === 'B');
  return templatesIn(condition).flatMap((template) => {
    const ofBytes = placeholdersOf(template).filter(
      (name) => params[name] !== undefined && viewSchema(params[name]).kind === 'bytes',
    );
    if (!isBytes) return ofBytes.map((name) => `${attribute} holds no bytes, and parameter ${name} is of bytes`);
    const [name] = ofBytes;
    return name !== undefined && template === `{${name}}`
      ? []
      : [`${attribute} holds bytes, so its condition is one parameter of bytes and nothing else`];
  });
}

/** DynamoDB refuses a filter on the keys that it queries by. */
export function filterKeyProblems({ filter }: Pick<Pattern, 'filter'>, schema: IndexKey): readonly string[] {
  if (filter === undefined) return [];
  return attributesOf(filter)
    .filter((name) => keyNames(schema).includes(name))
    .map((name) => `the filter names the key attribute ${name}; make it a key condition`);
}

/** Says which index would make the pattern a Query. */
export function scanProblem(table: Table, pattern: Pattern, reason: string): string {
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
