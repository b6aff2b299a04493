import { type AttributeValue, type Item, scalarText } from '../../../../tables/model/attribute-value.ts';
import { canonicalDecimal, decimalProblem } from '../../../../tables/model/decimal.ts';
import type { Entity } from '../../../../tables/model/entity.ts';
import { TablewrightError } from '../../../../tables/model/error.ts';
import { type Schema, viewSchema } from '../../../../tables/model/schema-view.ts';
import type { Table } from '../../../../tables/model/table.ts';
import { matchTemplate, renderTemplate } from '../../../../tables/model/template.ts';
import { isClosed } from './is-closed.ts';

/** A stored attribute that was made by a template, and what its parts say. */
export interface DerivedText {
  readonly table: string;
  readonly name: string;
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
  /** Parts that are a time, a flag or a value of a list, and say nothing else. */
  readonly closed: ReadonlySet<string>;
  /** Parts that are numbers. */
  readonly numbers: ReadonlySet<string>;
}

/** The keys, index keys and further derived attributes of a record, read back by the templates that they fit. */
export function readDerived(table: Table, entity: Entity | undefined, item: Item): readonly DerivedText[] {
  if (entity === undefined) return [];
  const found: DerivedText[] = [];
  for (const { set } of entity.derive) {
    for (const [name, template] of Object.entries(set)) {
      const text = scalarText(item[name]);
      if (text === undefined || found.some((one) => one.name === name)) continue;
      const values = matchTemplate(template, text);
      if (values !== undefined) {
        const own = { table: table.name, name, template, values };
        found.push({ ...own, closed: partsThat(entity, values, isWord), numbers: partsThat(entity, values, isNumber) });
      }
    }
  }
  return found;
}

function partsThat(
  entity: Entity,
  values: Readonly<Record<string, string>>,
  are: (schema: Schema, text: string) => boolean,
): ReadonlySet<string> {
  const names = Object.keys(values).filter((name) => {
    const schema = Object.hasOwn(entity.schema.shape, name) ? entity.schema.shape[name] : undefined;
    return schema !== undefined && are(schema, values[name] ?? '');
  });
  return new Set(names);
}

const isWord = (schema: Schema, text: string): boolean =>
  viewSchema(schema).kind === 'flag' ? text === 'true' || text === 'false' : isClosed(schema, text);

const isNumber = (schema: Schema, text: string): boolean =>
  viewSchema(schema).kind === 'number' && decimalProblem(text) === undefined;

/** The attribute with other parts. */
export function renderDerived(
  { table, name, template }: DerivedText,
  values: Readonly<Record<string, string>>,
  before: AttributeValue,
): AttributeValue {
  const rendered = renderTemplate(template, (part) => values[part]);
  if (!('text' in rendered)) {
    throw new TablewrightError('BAD_ARGUMENT', `${table}: the masked parts of ${name} make no key: ${template}`, {
      next: 'Mask these attributes by another kind, such as text. No export was finished.',
    });
  }
  if (!('N' in before)) return { S: rendered.text };
  if (decimalProblem(rendered.text) === undefined) return { N: canonicalDecimal(rendered.text) };
  throw new TablewrightError('BAD_ARGUMENT', `${table}: the mask of ${name} is no number, which its key has to be`, {
    next: 'Mask it as digits. No export was finished.',
  });
}
