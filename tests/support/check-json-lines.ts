import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { commands } from '../../engine/cli/commands/all.js';
import { commonLines, definitionOf, jsonLines, jsonSchema } from './json-lines.ts';

const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

function validator(name: string): ValidateFunction {
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false });
    ajv.addSchema(jsonSchema(), 'lines');
  }
  const found = compiled.get(name) ?? ajv.getSchema(`lines#/$defs/${encodeURIComponent(name)}`);
  if (found === undefined) throw new Error(`no schema of ${name}`);
  compiled.set(name, found);
  return found;
}

/**
 * Holds every line that a command printed with --json against docs/json.schema.json; throws with the first that does not fit.
 * Those of `query` on the output are records and have the form of their entity.
 */
export function checkJsonLines(args: readonly string[], stdout: string, stderr: string): void {
  if (!args.includes('--json')) return;
  const words = args.filter((arg) => !arg.startsWith('-')).join(' ');
  const [spec] = commands
    .filter((one) => words === one.words || words.startsWith(`${one.words} `))
    .toSorted((a, b) => b.words.length - a.words.length);
  if (spec !== undefined && !(spec.words in jsonLines)) {
    throw new Error(`${spec.words} --json: describe its lines in tests/support/json-lines.ts, then run 'npm run json-schema'`);
  }
  const lines = [...(spec?.words === 'query' ? [] : stdout.split('\n')), ...stderr.split('\n')].filter((line) => line !== '');
  for (const line of lines) checkLine(spec?.words, line);
}

function checkLine(words: string | undefined, line: string): void {
  const value = parse(line);
  const own = words === undefined ? undefined : jsonLines[words];
  const { event, error } = value as { readonly event?: string; readonly error?: string };
  const kind = error === undefined ? (event ?? 'result') : 'error';
  const name = own !== undefined && kind in own ? definitionOf(words ?? '', kind) : kind in commonLines ? kind : undefined;
  const where = `${words ?? 'tablewright'} --json printed ${line.slice(0, 400)}`;
  const remedy = `Describe it in tests/support/json-lines.ts, then run 'npm run json-schema'.`;
  if (name === undefined) throw new Error(`${where}, a line that the schema does not have. ${remedy}`);
  const isValid = validator(name);
  if (!isValid(value)) throw new Error(`${where}, which does not fit '${name}': ${ajv?.errorsText(isValid.errors)}. ${remedy}`);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`with --json this was printed, which is no JSON: ${line.slice(0, 400)}`);
  }
}
