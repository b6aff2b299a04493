import { setAttribute } from '../../../tables/model/attribute-value.ts';
import { type Schema, type SchemaView, viewSchema } from '../../../tables/model/schema-view.ts';
import { ExactNumber } from './declared-record.ts';
import { looksRelative, relativeSeconds, relativeTimeHint, spellTime } from './relative-time.ts';

export interface ResolveOptions {
  /** What `now` means, in seconds since 1970. */
  readonly anchor: number;
  /** Every value is a text, so `true` means the boolean. */
  readonly textual: boolean;
}

export interface ValueProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export interface ResolvedValues {
  readonly value: unknown;
  readonly problems: readonly ValueProblem[];
  /** A relative time was in it. */
  readonly relative: boolean;
}

interface State extends ResolveOptions {
  readonly problems: ValueProblem[];
  relative: boolean;
}

/** Where a value stands, from within: spelled out only where something is wrong with it. */
type Path = { readonly outer: Path; readonly name: PropertyKey } | undefined;

function pathOf(path: Path): readonly PropertyKey[] {
  return path === undefined ? [] : [...pathOf(path.outer), path.name];
}

/**
 * A file's values as the schema takes them: relative times in the attribute's own spelling, numbers by their digits, binary
 * from base64, and from CSV `true` and `false`.
 */
export function resolveValues(schema: Schema, input: unknown, options: ResolveOptions): ResolvedValues {
  const { anchor, textual } = options;
  const state: State = { anchor, textual, problems: [], relative: false };
  const value = resolve(schema, input, undefined, state);
  return { value, problems: state.problems, relative: state.relative };
}

function resolve(schema: Schema, value: unknown, path: Path, state: State): unknown {
  const view = viewSchema(schema);
  if (value instanceof ExactNumber) {
    if (view.kind === 'number') return value.text;
    state.problems.push({ path: pathOf(path), message: `expected ${expectation(view)}, found the number ${value.text}` });
    return undefined;
  }
  if (typeof value === 'string') return resolveText(view, value, path, state);
  if (Array.isArray(value)) return resolveList(view, value, path, state);
  return isMap(value) ? resolveMap(view, value, path, state) : value;
}

function resolveText(view: SchemaView, text: string, path: Path, state: State): unknown {
  if (view.time !== undefined && looksRelative(text)) {
    const offset = relativeSeconds(text);
    state.relative = true;
    if (offset !== undefined) return spellTime(state.anchor + offset, view.time);
    state.problems.push({
      path: pathOf(path),
      message: `expected a relative time such as ${relativeTimeHint}, found ${JSON.stringify(text)}`,
    });
    return undefined;
  }
  if (state.textual && view.kind === 'flag' && (text === 'true' || text === 'false')) return text === 'true';
  return view.kind === 'bytes' ? new Uint8Array(Buffer.from(text, 'base64')) : text;
}

function resolveList(view: SchemaView, list: readonly unknown[], path: Path, state: State): unknown {
  const { element } = view;
  return element === undefined
    ? list.map(digits)
    : list.map((entry, at) => resolve(element, entry, { outer: path, name: at }, state));
}

function resolveMap(view: SchemaView, map: Readonly<Record<string, unknown>>, path: Path, state: State): unknown {
  const resolved: Record<string, unknown> = {};
  for (const name of Object.keys(map)) {
    const schema = view.member(name);
    const member = map[name];
    setAttribute(resolved, name, schema === undefined ? digits(member) : resolve(schema, member, { outer: path, name }, state));
  }
  return resolved;
}

/** A value that no schema stands for; the schema check that follows will name it. */
function digits(value: unknown): unknown {
  return value instanceof ExactNumber ? value.text : value;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function expectation(view: SchemaView): string {
  switch (view.kind) {
    case 'flag':
      return 'true or false';
    case 'choice':
      return `one of ${view.choices.join(', ')}`;
    case 'list':
      return 'a list';
    case 'map':
      return 'a map';
    case 'bytes':
      return 'base64 text';
    default:
      return 'a text';
  }
}
