import type { Pattern } from '../../../tables/model/pattern.ts';
import { viewSchema } from '../../../tables/model/schema-view.ts';
import { bytesOf } from '../item/dynamo-json.ts';

/** Parameters as texts, the way examples and people have them: bytes are base64, anything else is as it stands. */
export function typedParams<T>(
  { params }: Pattern,
  texts: Readonly<Record<string, T>>,
): Readonly<Record<string, T | Uint8Array>> {
  const typed = Object.entries(texts).map(([name, text]): [string, T | Uint8Array] => {
    const schema = Object.hasOwn(params, name) ? params[name] : undefined;
    const isBytes = schema !== undefined && viewSchema(schema).kind === 'bytes';
    return [name, isBytes && typeof text === 'string' ? bytesOf(text) : text];
  });
  return Object.fromEntries(typed);
}
