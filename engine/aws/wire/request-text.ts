import { base64Of } from '../../../tables/model/attribute-value.ts';

/**
 * A request as JSON, straight from its attribute values: of all members of the operations they alone hold bytes, which become
 * base64. Without bytes a request is its own JSON, and nothing is copied. What is undefined is left out.
 */
export function requestText(value: unknown): string {
  return holdsBytes(value) ? textWithBytes(value) : JSON.stringify(value);
}

function holdsBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // Most values are these two. An attribute that is called `S` holds no text but a value.
  const { S, N } = value as { readonly S?: unknown; readonly N?: unknown };
  if (typeof S === 'string' || typeof N === 'string') return false;
  if (value instanceof Uint8Array) return true;
  if (Array.isArray(value)) return value.some(holdsBytes);
  for (const name in value) if (holdsBytes((value as Record<string, unknown>)[name])) return true;
  return false;
}

function textWithBytes(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Uint8Array) return `"${base64Of(value)}"`;
  if (Array.isArray(value)) return `[${value.map(textWithBytes).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textWithBytes(member)}`).join(',')}}`;
}
