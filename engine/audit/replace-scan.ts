import { attributesOf, type Condition } from '../../tables/model/condition.ts';
import { templateOf } from '../../tables/model/item.ts';
import { isGet, isLegacyQuery, type Pattern } from '../../tables/model/pattern.ts';
import type { Table } from '../../tables/model/table.ts';
import { matchTemplate, placeholdersOf } from '../../tables/model/template.ts';
import type { FoundCondition } from './filter-conditions.ts';

/** A pattern of the catalogue that answers what a Scan was asked, with the call to write instead. */
export interface Replacement {
  readonly pattern: string;
  readonly call: string;
  /** Conditions of the Scan that the pattern does not know; the caller keeps them. */
  readonly leftOver: readonly string[];
}

/** What a pattern asks of an attribute: the value of a parameter, or a fixed text. */
type Need =
  | { readonly attribute: string; readonly param: string; readonly template: string }
  | { readonly attribute: string; readonly op: '=' | 'begins_with'; readonly literal: string };

/** The patterns that fit the conditions best; none when no pattern can be given all that it needs. */
export function replacementsFor(table: Table, conditions: readonly FoundCondition[]): readonly Replacement[] {
  const fitting = Object.values(table.patterns).flatMap((pattern) => {
    const needs = needsOf(pattern);
    const score = scoreOf(pattern, needs, conditions);
    return score === undefined ? [] : [{ pattern, needs, score }];
  });
  const best = Math.max(...fitting.map(({ score }) => score));
  return fitting
    .filter(({ score }) => score === best)
    .map(({ pattern, needs }) => replacement(table, pattern, needs, conditions));
}

function needsOf({ legacy, key, result }: Pattern): readonly Need[] {
  if (legacy !== undefined && !isLegacyQuery(legacy)) return legacyNeeds(legacy.filter);
  const [entity, ...others] = result;
  const keys = key.flatMap((condition): readonly Need[] => {
    if (condition.op !== 'equals') return [];
    return textNeeds(condition.attribute, condition.value, entity && templateOf(entity, condition.attribute));
  });
  const constants = others.length > 0 ? [] : Object.entries(entity?.constants ?? {});
  return [...keys, ...constants.map(([attribute, literal]): Need => ({ attribute, op: '=', literal }))];
}

function legacyNeeds(filter: Condition): readonly Need[] {
  if (filter.op === 'all') return filter.conditions.flatMap(legacyNeeds);
  if (filter.op === 'beginsWith') return [{ attribute: filter.attribute, op: 'begins_with', literal: filter.prefix }];
  if (filter.op !== 'equals' || typeof filter.value !== 'string') return [];
  return textNeeds(filter.attribute, filter.value, undefined);
}

/**
 * A key such as `CLIENT#{clientId}` is written as `CLIENT#{client_id}` by the entity: where both have the same form, the
 * parameter stands for that attribute.
 */
function textNeeds(attribute: string, text: string, own: string | undefined): readonly Need[] {
  const params = placeholdersOf(text);
  if (params.length === 0) return own === undefined ? [{ attribute, op: '=', literal: text }] : [];
  const blank = (template: string) => template.replace(/\{[^}]*\}/g, '{}');
  if (own === undefined || blank(own) !== blank(text)) return params.map((param) => ({ attribute, param, template: text }));
  const attributes = placeholdersOf(own);
  return params.map((param, at) => ({ attribute: attributes[at] ?? attribute, param, template: `{${param}}` }));
}

/** Undefined when a parameter would be missing or a fixed text contradicts the Scan. */
function scoreOf(pattern: Pattern, needs: readonly Need[], conditions: readonly FoundCondition[]): number | undefined {
  let score = 0;
  for (const need of needs) {
    const found = conditions.find((condition) => condition.attribute === need.attribute);
    if ('param' in need) {
      const optional = pattern.params[need.param]?.safeParse(undefined).success === true;
      if (found?.op === '=' && fits(need, found)) score += 10;
      else if (!optional) return undefined;
    } else if (found?.literal !== undefined) {
      if (found.literal !== need.literal || found.op !== need.op) return undefined;
      score += 5;
    } else if (need.op === 'begins_with') return undefined;
  }
  return score - leftOver(pattern, needs, conditions).length;
}

function fits(need: Extract<Need, { readonly param: string }>, { literal }: FoundCondition): boolean {
  return literal === undefined || matchTemplate(need.template, literal) !== undefined;
}

function leftOver(pattern: Pattern, needs: readonly Need[], conditions: readonly FoundCondition[]): readonly FoundCondition[] {
  const legacy = pattern.legacy?.filter === undefined ? [] : attributesOf(pattern.legacy.filter);
  const filtered = pattern.filter === undefined ? [] : attributesOf(pattern.filter);
  const known = new Set([...needs.map(({ attribute }) => attribute), ...legacy, ...filtered]);
  return conditions.filter(({ attribute }) => !known.has(attribute));
}

function replacement(table: Table, pattern: Pattern, needs: readonly Need[], conditions: readonly FoundCondition[]): Replacement {
  const values = needs.flatMap((need) => {
    if (!('param' in need)) return [];
    const found = conditions.find(({ attribute, op }) => attribute === need.attribute && op === '=');
    return [argument(need, found)];
  });
  const params = values.length === 0 ? '' : `, { ${values.join(', ')} }`;
  const rest = leftOver(pattern, needs, conditions);
  return {
    pattern: pattern.name,
    call: `reader.${methodOf(table, pattern)}('${pattern.name}'${params})`,
    leftOver: rest.map(({ attribute, op, source, literal }) => `${attribute} ${op} ${source ?? literal ?? '?'}`),
  };
}

function argument(need: Extract<Need, { readonly param: string }>, found: FoundCondition | undefined): string {
  const { param, template } = need;
  if (found?.literal !== undefined) {
    const text = matchTemplate(template, found.literal)?.[param] ?? found.literal;
    // A template of the source whose value is not told: the expression in it is the parameter.
    const source = /^\{([^}]+)\}$/.exec(text)?.[1];
    if (source !== undefined) return source === param ? param : `${param}: ${source}`;
    return `${param}: ${JSON.stringify(text).replace(/^"|"$/g, "'")}`;
  }
  // A value that the source makes with a prefix is not the parameter itself.
  const source = template === `{${param}}` ? found?.source : undefined;
  return source === undefined || source === param ? param : `${param}: ${source}`;
}

function methodOf(table: Table, pattern: Pattern): 'read' | 'first' | 'exists' {
  if (pattern.answer === 'exists') return 'exists';
  return isGet(pattern, table.key.range?.name) || pattern.limit === 1 ? 'first' : 'read';
}
