import { type Schema, viewSchema } from '../../../../tables/model/schema-view.ts';

/**
 * Is the text a time or one of a list, as its schema says? Then it can tell of nobody. By what stands there, not by what should. Digits say nothing
 * of that: seconds since 1970 may as well be a CPF.
 */
export function isClosed(schema: Schema, text: string): boolean {
  const { time, listed } = viewSchema(schema);
  const { safeParse } = schema as { safeParse?: (input: unknown) => { readonly success: boolean } };
  return ((time !== undefined && time !== 'epoch') || listed) && safeParse?.(text).success === true;
}
