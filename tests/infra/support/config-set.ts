import { type Document, isMap, isScalar, parseDocument, Scalar, type YAMLMap } from 'yaml';

export interface SetOptions {
  /** `--path`: the key's dots and brackets lead into the value. */
  readonly path?: boolean;
  /** `--secret`: the value is kept encrypted. */
  readonly secret?: boolean;
}

/** What an encrypted value looks like with a passphrase; nobody can read it here, and nobody has to. */
export const ciphertext = 'v1:4YfBv0m4oE0Jx5Qq:1ZbTnK0mWq3x0m7cTg8fJwqJfQ2oWnY3';

/**
 * A stack's file after `pulumi config set KEY VALUE`, by the rules of Pulumi's own source (`sdk/go/common/resource/config`):
 * a value at the top is text; with `--path`, `true`, `false` and whole numbers without a leading zero get their type, and
 * everything else stays text; a secret becomes `secure:`. Writing the file turns every other scalar at the top into text.
 */
export function configSet(file: string, key: string, value: string, { path = false, secret = false }: SetOptions = {}): string {
  const document = parseDocument(file);
  const [namespace = '', name = ''] = key.split(/:(.*)/s);
  const [first = '', ...rest] = path ? segments(name) : [name];
  const typed = secret ? { secure: ciphertext } : rest.length === 0 ? value : coerced(value);
  setDeep(document, ['config', `${namespace}:${first}`, ...rest], typed);
  const config = document.get('config', true);
  if (isMap(config)) config.items.forEach(asText);
  return document.toString();
}

/** The lines of `pulumi config set --path` that give a setting this value, one for each part: key and value. */
export function configSetLines(key: string, value: unknown): readonly (readonly [key: string, value: string])[] {
  if (Array.isArray(value)) return value.flatMap((inner, at) => configSetLines(`${key}[${at}]`, inner));
  if (typeof value !== 'object' || value === null) return [[key, String(value)]];
  return Object.entries(value).flatMap(([name, inner]) =>
    configSetLines(/^\w+$/.test(name) ? `${key}.${name}` : `${key}["${name}"]`, inner),
  );
}

function segments(name: string): readonly (string | number)[] {
  return [...name.matchAll(/\["([^"]+)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, plain]) =>
    index === undefined ? (quoted ?? plain ?? '') : Number(index),
  );
}

function coerced(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  if (value.length > 1 && value.startsWith('0')) return value;
  return /^[+-]?\d+$/.test(value) ? Number(value) : value;
}

/** Makes the maps and lists on the way; whatever text stood there before is replaced. */
function setDeep(document: Document, path: readonly (string | number)[], value: unknown): void {
  path.slice(0, -1).forEach((_, at) => {
    const place = path.slice(0, at + 1);
    if (typeof document.getIn(place) === 'object') return;
    document.setIn(place, document.createNode(typeof path[at + 1] === 'number' ? [] : {}));
  });
  document.setIn(path, document.createNode(value));
}

function asText(pair: YAMLMap['items'][number]): void {
  const { value } = pair;
  if (!isScalar(value) || typeof value.value === 'string') return;
  const text = new Scalar(value.source ?? String(value.value));
  text.type = 'QUOTE_DOUBLE';
  pair.value = text;
}
