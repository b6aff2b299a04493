import { TablewrightError } from '../../tables/model/error.ts';
import { projectName, stackConfigSchema } from '../../tables/stack-config.ts';

/**
 * The stack file's `config:` map as Pulumi hands it to a program: every value a string, structured ones as JSON. Decoded
 * back to what the file says, so that the one schema sees the same values here and on the command line.
 */
export function decodeConfig(raw: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, decodeValue(name, value)]));
}

function decodeValue(name: string, value: string): unknown {
  if (!name.startsWith(`${projectName}:`) || textKeys.has(name.slice(projectName.length + 1))) return value;
  try {
    return JSON.parse(value);
  } catch {
    // Not JSON, so it is the plain string that it looks like; the schema says what it should have been.
    return value;
  }
}

/** Keys whose value is text whatever it looks like: an account of twelve digits must not become a number. */
const textKeys: ReadonlySet<string> = new Set(
  Object.entries(stackConfigSchema.shape)
    .filter(([, schema]) => {
      const issue = schema.safeParse(Number.NaN).error?.issues[0];
      return issue?.code === 'invalid_type' && issue.expected === 'string';
    })
    .map(([name]) => name),
);

/** A stack without a file has no settings at all; its defaults would deploy an unprotected stack that nobody asked for. */
export function checkHasSettings(stack: string, raw: Readonly<Record<string, string>>): void {
  if (Object.keys(raw).some((name) => name.startsWith(`${projectName}:`))) return;
  throw new TablewrightError('BAD_CONFIG', `Stack ${stack} has no settings`, {
    problems: [`Pulumi.${stack}.yaml: expected some ${projectName}: keys, found none`],
    next: `Copy Pulumi.dev.yaml to Pulumi.${stack}.yaml and change it; docs/configuration.md lists every key.`,
  });
}
