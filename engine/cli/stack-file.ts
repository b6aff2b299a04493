import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { TablewrightError } from '../../tables/model/error.ts';

/** What a stack's file says, before its settings are looked at. */
export interface StackFile {
  /** The `config:` map: what stands at its top as text, as Pulumi reads it, and what stands deeper with its type. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Whether settings may also come from Pulumi ESC, which the command line cannot ask. */
  readonly hasEnvironment: boolean;
}

/** What Pulumi keeps in the file beside `config:`. */
const pulumiKeys = ['encryptionsalt', 'secretsprovider', 'encryptedkey', 'environment'];

/** Reads a stack's file as `pulumi stack init`, `pulumi config set` and people leave it. */
export function parseStackFile(file: string, bytes: Uint8Array): StackFile {
  const document = parseDocument(textOf(file, bytes));
  const [fault] = document.errors;
  if (fault !== undefined) throw unreadable(file, `is no valid YAML: ${fault.message}`, fault);
  const { contents } = document;
  // Pulumi leaves an empty file where its service keeps the secrets and nothing was set.
  if (contents === null || (isScalar(contents) && contents.value === null)) return { config: {}, hasEnvironment: false };
  if (!isMap(contents)) throw unreadable(file, 'holds no settings: expected keys like config:, found something else');
  const names = contents.items.map(({ key }) => String(key));
  if (!names.includes('config') && !names.some((name) => pulumiKeys.includes(name))) {
    throw unreadable(file, `holds no settings: expected the key config, found ${names.join(', ')}`);
  }
  return { config: configOf(file, contents), hasEnvironment: contents.get('environment') !== undefined };
}

function textOf(file: string, bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(file, 'is no text: expected UTF-8, found other bytes', error);
  }
  const control = [...text].findIndex((character) => /\p{Cc}/u.test(character) && !/[\t\n\r\u0085]/.test(character));
  if (control !== -1) throw unreadable(file, `is no text: found a control character in line ${lineOf(text, control)}`);
  return text;
}

function lineOf(text: string, at: number): number {
  return [...text].slice(0, at).filter((character) => character === '\n').length + 1;
}

function configOf(file: string, contents: YAMLMap): Readonly<Record<string, unknown>> {
  const config = contents.get('config', true);
  if (config === undefined || (isScalar(config) && config.value === null)) return {};
  if (!isMap(config)) throw unreadable(file, 'holds no settings: expected keys and values under config:, found something else');
  return Object.fromEntries(config.items.map((pair) => [String(pair.key), settingOf(pair)]));
}

/** Pulumi takes a value at the top as it is spelled: an account of twelve digits keeps its leading zero. */
function settingOf({ value }: Pair): unknown {
  if (!isScalar(value)) return (value as { toJSON?(): unknown } | null)?.toJSON?.();
  if (value.value === null) return '';
  return typeof value.value === 'string' ? value.value : (value.source ?? String(value.value));
}

function unreadable(file: string, what: string, cause?: unknown): TablewrightError {
  return new TablewrightError('BAD_CONFIG', `${file} ${what}`, { cause, next: `Correct ${file}.` });
}
