import type { Index, KeyAttribute } from '../../../tables/model/table.ts';
import { modelNames } from './draft-names.ts';
import { exampleOf } from './draft-patterns.ts';
import type { AttributeDraft, EntityDraft, KindDraft, MemberDraft, PatternDraft, RuleDraft, TableDraft } from './table-draft.ts';

/** The definition as the file that people correct. `model` is the module that gives what it is written with. */
export function draftText(draft: TableDraft, model: string): string {
  const body = [...draft.entities.map(entityText), tableText(draft)].join('\n\n');
  const code = body.replace(/ \/\/ .*$/gm, '');
  const used = (name: string) => new RegExp(`(?<![\\w.'])${name}\\(`).test(code);
  const names = modelNames.filter(used).toSorted();
  return [
    ...draft.notes.map(comment),
    ...(draft.notes.length === 0 ? [] : ['']),
    `import { ${names.join(', ')} } from ${quoted(model)};`,
    '',
    body,
    '',
  ].join('\n');
}

function entityText(draft: EntityDraft): string {
  return [
    `export const ${draft.variable} = defineEntity({`,
    `  name: ${quoted(draft.name)},`,
    `  description: ${quoted(draft.description)},`,
    '  attributes: {',
    ...Object.entries(draft.attributes).map(([name, attribute]) => `    ${attributeText(name, attribute)}`),
    '  },',
    ...(Object.keys(draft.constants).length === 0 ? [] : [`  constants: ${textsOf(draft.constants)},`]),
    ...(draft.derive.length === 0 ? [] : ['  derive: [', ...draft.derive.map((rule) => `    ${ruleText(rule)}`), '  ],']),
    ...(draft.ttl === undefined ? [] : [`  ttl: { from: ${quoted(draft.ttl.from)}, seconds: ${draft.ttl.seconds} },`]),
    '});',
  ].join('\n');
}

function attributeText(name: string, attribute: AttributeDraft): string {
  return `${property(name)}: ${memberText(attribute)}, ${comment(attribute.seen)}`;
}

function ruleText({ set, seen }: RuleDraft): string {
  return `{ set: ${textsOf(set)} }, ${comment(seen)}`;
}

function memberText({ type, optional, nullable }: MemberDraft): string {
  return `${kindText(type)}${nullable ? '.nullable()' : ''}${optional ? '.optional()' : ''}`;
}

function kindText(draft: KindDraft): string {
  if (draft.kind === 'known') return `known(${draft.values.map(quoted).join(', ')})`;
  if (draft.kind === 'list') return `listOf(${kindText(draft.element)})`;
  if (draft.kind === 'record') return `valuesOf(${kindText(draft.value)})`;
  if (draft.kind !== 'map') return `${draft.kind}()`;
  const members = Object.entries(draft.members).map(([name, member]) => `${property(name)}: ${memberText(member)}`);
  return `mapOf({ ${members.join(', ')} })`;
}

function tableText(draft: TableDraft): string {
  const { key, indexes, capacity } = draft;
  return [
    `export const ${draft.variable} = defineTable({`,
    `  name: ${quoted(draft.name)},`,
    `  system: ${quoted(draft.system)},`,
    `  namespace: ${quoted(draft.namespace)},`,
    `  description: ${quoted(draft.description)},`,
    ...(draft.suffix === 'always' ? ["  suffix: 'always',"] : []),
    `  hash: ${keyText(key.hash)},`,
    ...(key.range === undefined ? [] : [`  range: ${keyText(key.range)},`]),
    ...(indexes.length === 0 ? [] : ['  indexes: {', ...indexes.map((index) => `    ${indexText(index)}`), '  },']),
    ...(draft.ttl === undefined ? [] : [`  ttl: ${quoted(draft.ttl)},`]),
    ...(capacity === undefined
      ? []
      : [
          '  // The most that auto scaling may add is not part of what a table says: raise the last two.',
          `  billing: { ${capacity.kind}: provisioned(${capacity.read}, ${capacity.write}, { read: ${capacity.read}, write: ${capacity.write} }) },`,
        ]),
    `  entities: [${draft.entities.map(({ variable }) => variable).join(', ')}],`,
    '  patterns: {',
    ...draft.patterns.map((pattern) => patternText(pattern, draft.entities)),
    '  },',
    '});',
  ].join('\n');
}

function keyText({ name, type }: KeyAttribute): string {
  return type === 'S' ? quoted(name) : `{ name: ${quoted(name)}, type: '${type}' }`;
}

function keysText(keys: readonly KeyAttribute[]): string {
  const [only] = keys;
  return keys.length === 1 && only !== undefined ? keyText(only) : `[${keys.map(keyText).join(', ')}]`;
}

function indexText({ name, hash, range, projection }: Index): string {
  const parts = [
    `hash: ${keysText(hash)}`,
    ...(range.length === 0 ? [] : [`range: ${keysText(range)}`]),
    ...(projection === 'ALL' ? [] : [`projection: ${projectionText(projection)}`]),
  ];
  return `${property(name)}: { ${parts.join(', ')} },`;
}

function projectionText(projection: Index['projection']): string {
  return typeof projection === 'string' ? quoted(projection) : `{ include: [${projection.include.map(quoted).join(', ')}] }`;
}

function patternText(draft: PatternDraft, entities: readonly EntityDraft[]): string {
  const params = Object.entries(draft.params).map(([name, kind]) => `${property(name)}: ${kind}()`);
  const { hash, prefix } = draft;
  const conditions = [
    ...hash.map(({ attribute, value }) => `is(${quoted(attribute)}, ${quoted(value)})`),
    ...(prefix === undefined ? [] : [`beginsWith(${quoted(prefix.attribute)}, ${quoted(prefix.value)})`]),
  ];
  const result = entities.filter(({ name }) => draft.result.includes(name)).map(({ variable }) => variable);
  return [
    `    ${property(draft.name)}: {`,
    `      description: ${quoted(draft.description)},`,
    ...(params.length === 0 ? [] : [`      params: { ${params.join(', ')} },`]),
    ...(draft.index === undefined ? [] : [`      index: ${quoted(draft.index)},`]),
    `      key: [${conditions.join(', ')}],`,
    ...(draft.hydrate ? ['      hydrate: true,'] : []),
    `      result: [${result.join(', ')}],`,
    `      example: ${textsOf(exampleOf(draft))},`,
    '    },',
  ].join('\n');
}

function textsOf(values: Readonly<Record<string, string>>): string {
  const parts = Object.entries(values).map(([name, value]) => `${property(name)}: ${quoted(value)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

/** To the end of its line, also where an attribute's name has several. */
const comment = (text: string): string => `// ${text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ')}`;

const property = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

/** A string literal, whatever is in the text. */
function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}
