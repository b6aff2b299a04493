import { z } from 'zod';

/** Every property name in the JSON Schema of a Zod schema. */
export function schemaKeys(schema: z.ZodType): readonly string[] {
  const names = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties } = node as { readonly properties?: object };
    for (const name of Object.keys(properties ?? {})) names.add(name);
    for (const [name, inner] of Object.entries(node)) if (name !== 'default') walk(inner);
  };
  walk(z.toJSONSchema(schema, { io: 'input' }));
  return [...names];
}
