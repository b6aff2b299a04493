import { type MaskKind, maskKinds } from './mask-value.ts';

/** One attribute to mask: a name, or a path into maps such as `address.street`. Lists are gone through. */
export interface MaskRule {
  readonly attribute: string;
  readonly as: MaskKind;
  /** Only this table; all that have the attribute when left out. */
  readonly table?: string;
  /** Only records of this entity. */
  readonly entity?: string;
  /** Of dates: the attribute whose value tells whose they are. */
  readonly by?: string;
  /** That no record has it is no error. */
  readonly optional?: true;
  /** The catalogue does not know the attribute. */
  readonly undeclared?: true;
}

/** What becomes of records that fit no entity of their table. */
export interface StrayRule {
  readonly table?: string;
  readonly as: 'drop' | 'keep';
}

/** What a rules file says. */
export interface MaskFile {
  readonly rules: readonly MaskRule[];
  readonly strays: readonly StrayRule[];
  /** `table/ENTITY`: what a sample is a share of. */
  readonly subjects: readonly string[];
  /** `table/ENTITY`: what a sample takes whole. */
  readonly whole: readonly string[];
}

export type ReadMaskFile = { readonly file: MaskFile } | { readonly problems: readonly string[] };

/** How a rule names the records that fit no entity. */
export const noEntity = 'none';

const ruleNames = ['attribute', 'as', 'table', 'entity', 'by', 'optional', 'undeclared'];
const fileNames = ['rules', 'subjects', 'whole'];

/** A rules file's contents: a list of rules, or a map with `rules`, `subjects` and `whole`. Every problem by its place. */
export function readMaskFile(contents: unknown): ReadMaskFile {
  const problems: string[] = [];
  const map: Readonly<Record<string, unknown>> = Array.isArray(contents) ? { rules: contents } : isMap(contents) ? contents : {};
  for (const name of Object.keys(map)) {
    if (!fileNames.includes(name)) problems.push(`${name}: unknown key; expected one of ${fileNames.join(', ')}`);
  }
  const list = map.rules;
  if (!Array.isArray(list) || list.length === 0) problems.push('rules: expected a list of rules');
  const read = (Array.isArray(list) ? list : []).map((entry, at) => readRule(entry, `rule ${at + 1}`, problems));
  const file = {
    rules: read.flatMap((one) => (one !== undefined && 'attribute' in one ? [one] : [])),
    strays: read.flatMap((one) => (one !== undefined && !('attribute' in one) ? [one] : [])),
    subjects: entityList(map.subjects, 'subjects', problems),
    whole: entityList(map.whole, 'whole', problems),
  };
  return problems.length === 0 ? { file } : { problems };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entityList(value: unknown, name: string, problems: string[]): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[^/]+\/[^/]+$/.test(one))) return value;
  problems.push(`${name}: expected a list such as [oms_config/CLIENT], found ${JSON.stringify(value)}`);
  return [];
}

function readRule(entry: unknown, place: string, problems: string[]): MaskRule | StrayRule | undefined {
  if (!isMap(entry)) {
    problems.push(`${place}: expected a rule such as { attribute: cpf, as: cpf }, found ${JSON.stringify(entry) ?? 'nothing'}`);
    return undefined;
  }
  const before = problems.length;
  const { attribute, as, table, entity, by, optional, undeclared } = entry;
  const name = (value: unknown, what: string, about: string): void => {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      problems.push(`${place}: ${what}: expected the name of ${about}`);
  };
  name(table, 'table', 'a table');
  name(entity, 'entity', 'an entity');
  name(by, 'by', 'an attribute');
  for (const [what, value] of Object.entries({ optional, undeclared })) {
    if (value !== undefined && value !== true) problems.push(`${place}: ${what}: expected true, found ${JSON.stringify(value)}`);
  }
  for (const key of Object.keys(entry)) if (!ruleNames.includes(key)) problems.push(`${place}: ${key}: unknown key`);
  if (entity === noEntity && attribute === undefined) return strayRule(entry, place, before, problems);
  if (typeof attribute !== 'string' || attribute === '') problems.push(`${place}: attribute: expected the name of an attribute`);
  if (!maskKinds.includes(as as MaskKind)) {
    problems.push(`${place}: as: expected one of ${maskKinds.join(', ')}, found ${JSON.stringify(as) ?? 'nothing'}`);
  }
  if (as === 'date' && by === undefined) problems.push(`${place}: by: a date takes the attribute that tells whose it is`);
  if (as !== 'date' && by !== undefined) problems.push(`${place}: by: changes nothing but dates`);
  return problems.length === before ? (entry as unknown as MaskRule) : undefined;
}

function strayRule(
  { as, table }: Readonly<Record<string, unknown>>,
  place: string,
  before: number,
  problems: string[],
): StrayRule | undefined {
  if (as !== 'drop' && as !== 'keep') {
    problems.push(`${place}: as: of records without an entity expected drop or keep, found ${JSON.stringify(as) ?? 'nothing'}`);
  }
  if (problems.length > before) return undefined;
  return { as: as as 'drop' | 'keep', ...(table === undefined ? {} : { table: table as string }) };
}

/** A rule as people find it again. */
export function showRule({ attribute, as, table, entity }: MaskRule): string {
  const where = [table, entity].filter((part) => part !== undefined).join('/');
  return `${where === '' ? '' : `${where} `}${attribute} as ${as}`;
}
