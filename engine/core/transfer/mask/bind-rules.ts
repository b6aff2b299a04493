import type { Entity } from '../../../../tables/model/entity.ts';
import { keySources } from '../../../../tables/model/reference.ts';
import { keyAttributes, keyNames, type Table } from '../../../../tables/model/table.ts';
import { placeholdersOf } from '../../../../tables/model/template.ts';
import { attributeNode, type Connected, connectAttributes } from './connect-attributes.ts';
import { type MaskFile, type MaskRule, noEntity, showRule } from './mask-rules.ts';
import { entityProblems, type Nearest, nameProblems, tableProblems } from './rule-problems.ts';

/** A rule with its place in the file, from 0. */
export interface NumberedRule extends MaskRule {
  readonly at: number;
}

/** Where the rules of an entity lie: at an attribute, at members of a map inside of it. */
export interface RuleTree {
  readonly rule?: NumberedRule;
  readonly members: ReadonlyMap<string, RuleTree>;
}

/** The rules as they apply to the records of one entity, or to those without one. */
export interface BoundEntity {
  readonly entity: Entity | undefined;
  readonly rules: RuleTree;
  /** Which keys and references are made of: changed by a rule of their own or not at all. */
  readonly identities: ReadonlySet<string>;
}

/** The rules as they apply to one table. */
export interface BoundTable {
  readonly table: Table;
  readonly ofEntity: ReadonlyMap<string, BoundEntity>;
  /** Of records without an entity; undefined where they are refused. */
  readonly strays: { readonly as: 'drop' | 'keep'; readonly bound: BoundEntity } | undefined;
  /** The rules that could match a record of the table. */
  readonly rules: readonly NumberedRule[];
}

export type BoundRules =
  | { readonly tables: ReadonlyMap<string, BoundTable>; readonly rules: readonly NumberedRule[] }
  | { readonly problems: readonly string[] };

/** Applies a rules file to the whole catalogue; what is wrong with it is told together. */
export function bindRules(catalogue: readonly Table[], file: MaskFile, nearest: Nearest): BoundRules {
  const rules = file.rules.map((rule, at) => ({ ...rule, at }));
  const connected = connectAttributes(catalogue);
  const problems = [
    ...rules.flatMap((rule) => nameProblems(catalogue, rule, nearest)),
    ...file.strays.flatMap(({ table }) => tableProblems(catalogue, table, `a rule for entity ${noEntity}`, nearest)),
    ...[...file.subjects, ...file.whole].flatMap((name) => entityProblems(catalogue, name, nearest)),
  ];
  const assigned = assignRules(catalogue, rules, connected, problems);
  const tables = new Map<string, BoundTable>();
  for (const table of catalogue) tables.set(table.name, bindTable(catalogue, table, rules, file, assigned));
  for (const { table, ofEntity } of tables.values()) {
    for (const bound of ofEntity.values()) problems.push(...keyProblems(table, bound, rules));
  }
  return problems.length === 0 ? { tables, rules } : { problems: [...new Set(problems)] };
}

function applies(rule: MaskRule, table: string, entity: string | undefined): boolean {
  return (rule.table === undefined || rule.table === table) && (rule.entity === undefined || rule.entity === entity);
}

/** The rule of each attribute: its own, else that of an attribute which is the same by the catalogue. */
function assignRules(
  catalogue: readonly Table[],
  rules: readonly NumberedRule[],
  connected: Connected,
  problems: string[],
): (node: string) => NumberedRule | undefined {
  const own = new Map<string, NumberedRule>();
  const ofClass = new Map<string, { readonly node: string; readonly rule: NumberedRule }>();
  for (const table of catalogue) {
    for (const entity of table.entities) {
      for (const name of new Set([...Object.keys(entity.schema.shape), ...rules.map((rule) => rule.attribute)])) {
        const node = attributeNode(table.name, entity.name, name);
        const rule = strongest(rules, table.name, entity.name, name, problems);
        if (rule === undefined) continue;
        own.set(node, rule);
        if (!Object.hasOwn(entity.schema.shape, name)) continue;
        const other = ofClass.get(connected(node));
        if (other === undefined) ofClass.set(connected(node), { node, rule });
        else if (other.rule.as !== rule.as) {
          problems.push(
            `rule ${rule.at + 1}: ${node} is the same as ${other.node} by the catalogue, masked as ${rule.as} here and as ${other.rule.as} there; give both the same`,
          );
        }
      }
    }
  }
  return (node) => own.get(node) ?? ofClass.get(connected(node))?.rule;
}

/** Of several rules for one attribute that which says more about where. */
function strongest(
  rules: readonly NumberedRule[],
  table: string,
  entity: string | undefined,
  name: string,
  problems: string[],
): NumberedRule | undefined {
  const weight = (rule: MaskRule): number => (rule.entity === undefined ? 0 : 2) + (rule.table === undefined ? 0 : 1);
  const [first, second] = rules
    .filter((rule) => rule.attribute === name && applies(rule, table, entity))
    .toSorted((a, b) => weight(b) - weight(a));
  if (first !== undefined && second !== undefined && weight(first) === weight(second)) {
    problems.push(`rule ${second.at + 1}: ${showRule(second)}: rule ${first.at + 1} says the same place; leave one out`);
  }
  return first;
}

function bindTable(
  catalogue: readonly Table[],
  table: Table,
  rules: readonly NumberedRule[],
  file: MaskFile,
  assigned: (node: string) => NumberedRule | undefined,
): BoundTable {
  const ofEntity = new Map(
    table.entities.map((entity) => {
      const names = new Set([...Object.keys(entity.schema.shape), ...rules.map((rule) => rule.attribute)]);
      const found = [...names].flatMap((name) => {
        const rule = assigned(attributeNode(table.name, entity.name, name));
        return rule === undefined ? [] : [{ path: name.split('.'), rule }];
      });
      return [entity.name, { entity, rules: treeOf(found), identities: identitiesOf(catalogue, table, entity) }] as const;
    }),
  );
  const stray = file.strays.find((one) => one.table === table.name) ?? file.strays.find((one) => one.table === undefined);
  const loose = rules.filter((rule) => rule.entity === undefined && applies(rule, table.name, undefined));
  const bound = {
    entity: undefined,
    rules: treeOf(loose.map((rule) => ({ path: rule.attribute.split('.'), rule }))),
    identities: new Set<string>(),
  };
  return {
    table,
    ofEntity,
    strays: stray === undefined ? undefined : { as: stray.as, bound },
    rules: rules.filter((rule) => [...ofEntity.values()].some((one) => couldMatch(one, rule))),
  };
}

function treeOf(found: readonly { readonly path: readonly string[]; readonly rule: NumberedRule }[]): RuleTree {
  const members = new Map<string, RuleTree>();
  const heads = new Set(found.filter(({ path }) => path.length > 0).map(({ path }) => path[0] ?? ''));
  for (const head of heads) {
    const below = found.filter(({ path }) => path[0] === head).map(({ path, rule }) => ({ path: path.slice(1), rule }));
    members.set(head, treeOf(below));
  }
  const rule = found.find(({ path }) => path.length === 0)?.rule;
  return rule === undefined ? { members } : { rule, members };
}

/** Can records of the entity have what the rule is for? */
export function couldMatch({ entity, rules }: BoundEntity, rule: NumberedRule): boolean {
  return [...rules.members].some(([name, tree]) => {
    const isKnown = rule.undeclared || Object.hasOwn(entity?.schema.shape ?? {}, name);
    return isKnown && rulesIn(tree).includes(rule);
  });
}

function rulesIn(tree: RuleTree): readonly NumberedRule[] {
  return [...(tree.rule === undefined ? [] : [tree.rule]), ...[...tree.members.values()].flatMap(rulesIn)];
}

/** What the primary key and references from and to the entity are made of. */
function identitiesOf(catalogue: readonly Table[], table: Table, entity: Entity): ReadonlySet<string> {
  const name = `${table.name}/${entity.name}`;
  const referring = catalogue.flatMap((one) => one.entities.flatMap(({ references }) => references));
  return new Set([
    ...keySources(table, entity),
    ...keyNames(table.key).filter((key) => Object.hasOwn(entity.schema.shape, key)),
    ...entity.references.flatMap(({ attribute, alike = [] }) => [attribute, ...alike]),
    ...referring.filter((one) => one.entity === name).flatMap(({ target, alike = [] }) => [target, ...alike]),
  ]);
}

/** What would leave masked data readable in a key, or tear it apart. */
function keyProblems(table: Table, bound: BoundEntity, rules: readonly NumberedRule[]): readonly string[] {
  const { entity } = bound;
  if (entity === undefined) return [];
  const problems: string[] = [];
  const loose = new Set(rules.filter((rule) => !rule.entity && !rule.table).map((rule) => rule.attribute.split('.').at(-1)));
  const keys = new Set(keyAttributes(table).map((attribute) => attribute.name));
  const parts = entity.derive.flatMap(({ set }) =>
    Object.entries(set).flatMap(([name, template]) =>
      keys.has(name) ? placeholdersOf(template).map((part) => ({ part, shown: `${name} = ${template}` })) : [],
    ),
  );
  const own = [...keys].filter((name) => Object.hasOwn(entity.schema.shape, name)).map((part) => ({ part, shown: part }));
  for (const { part, shown } of [...parts, ...own]) {
    const rule = bound.rules.members.get(part)?.rule;
    const where = `${table.name}/${entity.name}: the key ${shown} holds ${part}`;
    if (rule === undefined && loose.has(part)) {
      problems.push(`${where}, which is masked elsewhere but not here; add a rule for ${part}`);
    }
    if (rule?.as === 'remove') problems.push(`${where}, which cannot be removed; mask it instead`);
  }
  return problems;
}
