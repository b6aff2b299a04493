import { setAttribute } from './attribute-value.ts';
import { decimalProblem, negateDecimal } from './decimal.ts';
import { brazilianToIso, isoToBrazilian } from './time.ts';

/**
 * Key templates: `ORDER#{created_at|iso}#{order_id}`. A placeholder names an attribute or a parameter and may pass it
 * through one transform. `#` separates the parts of a composite key, so a part may not contain it.
 */
export type TransformName = 'iso' | 'negate' | 'rest' | `pad${3 | 4 | 5 | 8 | 10}`;

interface Transform {
  readonly apply: (text: string) => string | undefined;
  readonly invert: (text: string) => string | undefined;
}

const same = (text: string): string => text;
/** A stored attribute may hold anything: what is no number has no negative. */
const negated = (text: string): string | undefined => (decimalProblem(text) === undefined ? negateDecimal(text) : undefined);

/** Whole numbers with leading zeros, so that they sort as texts. One that needs more digits keeps them all. */
function padded(width: number): Transform {
  const form = new RegExp(`^(?:\\d{${width}}|[1-9]\\d{${width},})$`);
  return {
    apply: (text) => (/^\d+$/.test(text) ? text.padStart(width, '0') : undefined),
    invert: (text) => (form.test(text) ? text.replace(/^0+(?=\d)/, '') : undefined),
  };
}

const transforms: Readonly<Record<TransformName, Transform>> = {
  iso: { apply: brazilianToIso, invert: isoToBrazilian },
  negate: { apply: negated, invert: negated },
  // The end of a key, separators and all.
  rest: { apply: same, invert: same },
  pad3: padded(3),
  pad4: padded(4),
  pad5: padded(5),
  pad8: padded(8),
  pad10: padded(10),
};

export const separator = '#';

export interface Placeholder {
  readonly name: string;
  readonly transform?: TransformName;
}
export type TemplatePart = string | Placeholder;

const placeholder = /\{(\w+)(?:\|(\w+))?\}/g;

const parsed = new Map<string, readonly TemplatePart[]>();

export function parseTemplate(template: string): readonly TemplatePart[] {
  let parts = parsed.get(template);
  if (parts === undefined) {
    parts = parseAnew(template);
    parsed.set(template, parts);
  }
  return parts;
}

function parseAnew(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const found of template.matchAll(placeholder)) {
    if (found.index > end) parts.push(template.slice(end, found.index));
    const [whole, name = '', transform] = found;
    if (transform !== undefined && !Object.hasOwn(transforms, transform)) {
      throw new TypeError(`unknown transform ${transform} in template ${template}`);
    }
    parts.push(transform === undefined ? { name } : { name, transform: transform as TransformName });
    end = found.index + whole.length;
  }
  if (end < template.length) parts.push(template.slice(end));
  return parts;
}

export function placeholdersOf(template: string): readonly string[] {
  return parseTemplate(template).flatMap((part) => (typeof part === 'string' ? [] : [part.name]));
}

export type Rendered = { readonly text: string } | { readonly missing: string } | { readonly problem: string };

/** The text of a template, the first placeholder that has no value, or what is wrong with a value. */
export function renderTemplate(template: string, lookUp: (name: string) => string | undefined): Rendered {
  const parts = parseTemplate(template);
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = lookUp(part.name);
    if (value === undefined) return { missing: part.name };
    const shown = part.transform === undefined ? value : transforms[part.transform].apply(value);
    if (shown === undefined) return { problem: `${part.name}: ${JSON.stringify(value)} is no value for |${part.transform}` };
    if (shown === '') return { problem: `${part.name}: a key part may not be empty` };
    if (parts.length > 1 && part.transform !== 'rest' && shown.includes(separator)) {
      return { problem: `${part.name}: ${JSON.stringify(shown)} may not contain '${separator}', which separates key parts` };
    }
    text += shown;
  }
  return { text };
}

/** The text of a template up to its first placeholder that has no value: what all such texts begin with. */
export function renderPrefix(template: string, lookUp: (name: string) => string | undefined): string {
  const parts = parseTemplate(template);
  const open = parts.findIndex((part) => typeof part !== 'string' && lookUp(part.name) === undefined);
  const known = parts.slice(0, open === -1 ? parts.length : open);
  return known
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = lookUp(part.name) ?? '';
      return part.transform === undefined ? value : (transforms[part.transform].apply(value) ?? value);
    })
    .join('');
}

/** The values that stand at the placeholders of `text`, or undefined when it is not of the template's form. */
export function matchTemplate(template: string, text: string): Readonly<Record<string, string>> | undefined {
  const parts = parseTemplate(template);
  const pattern = parts.map((part) => {
    if (typeof part === 'string') return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return parts.length > 1 && part.transform !== 'rest' ? `([^${separator}]+)` : '([^]+)';
  });
  const found = new RegExp(`^${pattern.join('')}$`).exec(text);
  if (!found) return undefined;
  const values: Record<string, string> = {};
  const holes = parts.filter((part): part is Placeholder => typeof part !== 'string');
  for (const [at, hole] of holes.entries()) {
    const shown = found[at + 1] ?? '';
    const value = hole.transform === undefined ? shown : transforms[hole.transform].invert(shown);
    if (value === undefined) return undefined;
    setAttribute(values, hole.name, value);
  }
  return values;
}

/** The fixed text before the first placeholder. */
export function literalPrefix(template: string): string {
  const first = parseTemplate(template)[0];
  return typeof first === 'string' ? first : '';
}

/**
 * Can a text of template `a` ever equal one of template `b`? Parts between separators are compared one by one; a
 * placeholder stands for any text without a separator (a template that is one placeholder stands for any text).
 */
export function templatesOverlap(a: string, b: string): boolean {
  if (isOpen(a) || isOpen(b)) return true;
  const left = segments(a);
  const right = segments(b);
  // Behind an open end anything may follow, so only what comes before it can tell the two apart.
  const isEnded = ![left, right].some((parts) => parts.at(-1)?.includes(openEnd));
  if (isEnded && left.length !== right.length) return false;
  const shared = isEnded ? left.length : Math.min(left.length, right.length) - 1;
  return left.slice(0, shared).every((segment, at) => segmentsOverlap(segment, right[at] ?? ''));
}

/** Can a text of `template` ever begin with one of `prefix`? */
export function templateMayBeginWith(template: string, prefix: string): boolean {
  if (isOpen(template) || isOpen(prefix)) return true;
  const left = segments(template);
  const right = segments(prefix);
  if (right.length > left.length) return false;
  return right.every((segment, at) => {
    const own = left[at] ?? '';
    return at === right.length - 1 ? literalsAgree(own, segment) : segmentsOverlap(own, segment);
  });
}

const hole = '\0';
const openEnd = '\0\0';

function isOpen(template: string): boolean {
  return /^\{[^}]*\}$/.test(template);
}

function segments(template: string): readonly string[] {
  return template.replace(placeholder, (_, _name, transform) => (transform === 'rest' ? openEnd : hole)).split(separator);
}

function segmentsOverlap(a: string, b: string): boolean {
  return a.includes(hole) || b.includes(hole) ? literalsAgree(a, b) : a === b;
}

function literalsAgree(a: string, b: string): boolean {
  const left = a.split(hole)[0] ?? '';
  const right = b.split(hole)[0] ?? '';
  return left.startsWith(right) || right.startsWith(left);
}
