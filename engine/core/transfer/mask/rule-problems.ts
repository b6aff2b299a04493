import type { Entity } from '../../../../tables/model/entity.ts';
import { type Schema, viewSchema } from '../../../../tables/model/schema-view.ts';
import type { Table } from '../../../../tables/model/table.ts';
import type { NumberedRule } from './bind-rules.ts';
import { showRule } from './mask-rules.ts';

/** The name that was probably meant. Comes from outside, as the command line has one for its own words. */
export type Nearest = (word: string, among: readonly string[]) => string | undefined;

/** A table that the catalogue does not have. */
export function tableProblems(
  catalogue: readonly Table[],
  table: string | undefined,
  place: string,
  nearest: Nearest,
): readonly string[] {
  if (table === undefined || catalogue.some((one) => one.name === table)) return [];
  return [
    `${place}: there is no table ${table}${meant(
      nearest,
      table,
      catalogue.map((one) => one.name),
    )}`,
  ];
}

/** An entity that the catalogue does not have. */
export function entityProblems(catalogue: readonly Table[], name: string, nearest: Nearest): readonly string[] {
  const all = catalogue.flatMap((table) => table.entities.map((entity) => `${table.name}/${entity.name}`));
  return all.includes(name) ? [] : [`there is no entity ${name}${meant(nearest, name, all)}`];
}

/** A rule that can match nothing at all. */
export function nameProblems(catalogue: readonly Table[], rule: NumberedRule, nearest: Nearest): readonly string[] {
  const place = `rule ${rule.at + 1}: ${showRule(rule)}`;
  const wrong = tableProblems(catalogue, rule.table, place, nearest);
  if (wrong.length > 0) return wrong;
  const tables = catalogue.filter((table) => rule.table === undefined || rule.table === table.name);
  const known = tables.flatMap((table) => table.entities.map((entity) => entity.name));
  if (rule.entity !== undefined && !known.includes(rule.entity)) {
    const where = rule.table === undefined ? 'no table' : rule.table;
    return [
      `${place}: ${where} has ${rule.table === undefined ? 'an' : 'no'} entity ${rule.entity}${meant(nearest, rule.entity, known)}`,
    ];
  }
  const entities = tables.flatMap(({ entities: all }) =>
    all.filter(({ name }) => rule.entity === undefined || name === rule.entity),
  );
  const by = rule.by;
  const lacksBy = by !== undefined && !entities.some((entity) => Object.hasOwn(entity.schema.shape, by));
  const problems = lacksBy ? [`${place}: by: no entity that it is for has ${by}`] : [];
  if (rule.undeclared || entities.some((entity) => declares(entity, rule.attribute))) return problems;
  const names = [...new Set(entities.flatMap((entity) => Object.keys(entity.schema.shape)))];
  const near = meant(nearest, rule.attribute.includes('.') ? (rule.attribute.split('.')[0] ?? '') : rule.attribute, names);
  return [
    ...problems,
    `${place}: no entity that it is for has ${rule.attribute}${near}; an attribute outside of the catalogue takes undeclared: true`,
  ];
}

function declares(entity: Entity, attribute: string): boolean {
  const [first = '', ...rest] = attribute.split('.');
  if (!Object.hasOwn(entity.schema.shape, first)) return false;
  let schema: Schema | undefined = entity.schema.shape[first] as Schema;
  for (const name of rest) {
    const view: ReturnType<typeof viewSchema> = viewSchema(schema);
    schema = (view.element === undefined ? view : viewSchema(view.element)).member(name);
    if (schema === undefined) return false;
  }
  return true;
}

/** `; did you mean email?` */
function meant(nearest: Nearest, word: string, among: readonly string[]): string {
  const best = nearest(word, [...new Set(among)]);
  return best === undefined ? '' : `; did you mean ${best}?`;
}
