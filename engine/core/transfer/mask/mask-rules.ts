import type { Entity } from '../../../../tables/model/entity.ts';
import { keyAttributes, type Table } from '../../../../tables/model/table.ts';
import { placeholdersOf } from '../../../../tables/model/template.ts';
import { type MaskKind, maskKinds } from './mask-value.ts';

/** One attribute to mask: a name, or a path into maps such as `address.street`. Lists are gone through. */
export interface MaskRule {
  readonly attribute: string;
  readonly as: MaskKind;
  /** Only records of this entity; all that have the attribute when left out. */
  readonly entity?: string;
}

export type ReadRules = { readonly rules: readonly MaskRule[] } | { readonly problems: readonly string[] };

/** The rules of a rule file's JSON; every problem by its place in the list. */
export function readRules(json: unknown): ReadRules {
  const list = Array.isArray(json) ? json : (json as { readonly rules?: unknown } | null)?.rules;
  if (!Array.isArray(list) || list.length === 0) return { problems: ['expected a list of rules, or {"rules": [...]}'] };
  const problems: string[] = [];
  const rules: MaskRule[] = [];
  for (const [at, entry] of (list as readonly unknown[]).entries()) {
    const { attribute, as, entity, ...rest } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<
      string,
      unknown
    >;
    const place = `rule ${at + 1}`;
    const before = problems.length;
    if (typeof attribute !== 'string' || attribute === '')
      problems.push(`${place}: attribute: expected the name of an attribute`);
    if (!maskKinds.includes(as as MaskKind)) {
      problems.push(`${place}: as: expected one of ${maskKinds.join(', ')}, found ${JSON.stringify(as) ?? 'nothing'}`);
    }
    if (entity !== undefined && typeof entity !== 'string') problems.push(`${place}: entity: expected the name of an entity`);
    for (const name of Object.keys(rest)) problems.push(`${place}: ${name}: unknown key`);
    if (problems.length > before) continue;
    rules.push({
      attribute: attribute as string,
      as: as as MaskKind,
      ...(entity === undefined ? {} : { entity: entity as string }),
    });
  }
  return problems.length === 0 ? { rules } : { problems };
}

/** The rule that masks an attribute of an entity, if there is one. */
export function ruleFor(rules: readonly MaskRule[], entity: Entity | undefined, attribute: string): MaskRule | undefined {
  return rules.find((rule) => rule.attribute === attribute && (rule.entity === undefined || rule.entity === entity?.name));
}

/**
 * What would leave masked data readable or torn apart: a key that holds an attribute of the same name which no rule masks, a
 * removed attribute that a key is made of, a reference whose two ends are masked differently.
 */
export function maskProblems(table: Table, rules: readonly MaskRule[]): readonly string[] {
  return [
    ...rules.flatMap((rule, at) => unknownProblems(table, rule, at + 1)),
    ...table.entities.flatMap((entity) => keyProblems(table, entity, rules)),
    ...table.entities.flatMap((entity) => referenceProblems(table, entity, rules)),
  ];
}

function unknownProblems(table: Table, rule: MaskRule, place: number): readonly string[] {
  const known = table.entities.map((entity) => entity.name);
  if (rule.entity === undefined || known.includes(rule.entity)) return [];
  // The same rules serve several tables; only an entity that this table could have is a slip of the pen.
  return known.length === 0 ? [] : [`rule ${place}: ${table.name} has no entity ${rule.entity}, only ${known.join(', ')}`];
}

function keyProblems(table: Table, entity: Entity, rules: readonly MaskRule[]): readonly string[] {
  const masked = new Set(rules.map((rule) => rule.attribute.split('.').at(-1) ?? ''));
  const keys = new Set(keyAttributes(table).map((attribute) => attribute.name));
  const problems: string[] = [];
  for (const rule of entity.derive) {
    for (const [name, template] of Object.entries(rule.set)) {
      if (!keys.has(name)) continue;
      for (const part of placeholdersOf(template)) {
        const own = ruleFor(rules, entity, part);
        const where = `${table.name}/${entity.name}: the key ${name} = ${template} holds ${part}`;
        if (own === undefined && masked.has(part))
          problems.push(`${where}, which is masked elsewhere but not here; add a rule for ${part}`);
        if (own?.as === 'remove') problems.push(`${where}, which cannot be removed; mask it instead`);
      }
    }
  }
  for (const name of keys) {
    if (!Object.hasOwn(entity.schema.shape, name)) continue;
    const own = ruleFor(rules, entity, name);
    if (own === undefined && masked.has(name))
      problems.push(`${table.name}/${entity.name}: the key ${name} is masked elsewhere but not here`);
    if (own?.as === 'remove') problems.push(`${table.name}/${entity.name}: the key ${name} cannot be removed; mask it instead`);
  }
  return problems;
}

function referenceProblems(table: Table, entity: Entity, rules: readonly MaskRule[]): readonly string[] {
  return entity.references.flatMap(({ attribute, entity: target, target: targetAttribute }) => {
    const [tableName, entityName] = target.split('/');
    if (tableName !== table.name) return [];
    const other = table.entities.find((one) => one.name === entityName);
    const [here, there] = [ruleFor(rules, entity, attribute)?.as, ruleFor(rules, other, targetAttribute)?.as];
    if (here === there) return [];
    const what = `${table.name}/${entity.name}.${attribute} refers to ${entityName}.${targetAttribute}`;
    return [`${what}: masked as ${here ?? 'it is'} here, as ${there ?? 'it is'} there; give both the same rule`];
  });
}
