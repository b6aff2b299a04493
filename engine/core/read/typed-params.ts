import type { Pattern } from '../../../tables/model/pattern.ts';
import { viewSchema } from '../../../tables/model/schema-view.ts';
import { bytesOf } from '../item/dynamo-json.ts';

/** Parameters as texts, the way examples and people have them: bytes are base64, anything else is as it stands. */
export function typedParams<T>(pattern: Pattern, texts: Readonly<Record<string, T>>): Readonly<Record<string, T | Uint8Array>> {
  const typed = Object.entries(texts).map(([name, text]): [string, T | Uint8Array] => [
    name,
    takesBytes(pattern, name) && typeof text === 'string' ? bytesOf(text) : text,
  ]);
  return Object.fromEntries(typed);
}

const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?$/;

/** Texts that stand for no bytes. Node takes any for base64 and leaves out what is none, so that other bytes would be asked for. */
export function byteProblems(pattern: Pattern, texts: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(texts)
    .filter(([name, text]) => takesBytes(pattern, name) && !base64.test(text))
    .map(([name, text]) => `${name}: expected bytes as base64, found ${JSON.stringify(text)}`);
}

function takesBytes({ params }: Pattern, name: string): boolean {
  const schema = Object.hasOwn(params, name) ? params[name] : undefined;
  return schema !== undefined && viewSchema(schema).kind === 'bytes';
}
