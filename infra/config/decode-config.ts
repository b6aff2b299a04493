import { projectName, stackConfigSchema } from '../../tables/stack-config.ts';

/**
 * The stack file's `config:` map as Pulumi hands it to a program: every value a string, structured ones as JSON. Decoded
 * back to what the file says, so that the one schema sees the same values here and on the command line.
 */
export function decodeConfig(raw: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, decodeValue(name, value)]));
}

function decodeValue(name: string, value: string): unknown {
  if (!name.startsWith(`${projectName}:`)) return value;
  const shape: Readonly<Record<string, { safeParse(value: unknown): { success: boolean } }>> = stackConfigSchema.shape;
  // An account of twelve digits is a string already; decoding it would make it a number.
  if (shape[name.slice(projectName.length + 1)]?.safeParse(value).success) return value;
  try {
    return JSON.parse(value);
  } catch {
    // Not JSON, so it is the plain string that it looks like; the schema says what it should have been.
    return value;
  }
}
