import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { TablewrightError } from '../../tables/model/error.ts';
import type { Table } from '../../tables/model/table.ts';
import { parseStackConfig, type StackConfig } from '../../tables/stack-config.ts';

export const localStack = 'local';
/** The stack that the local one mirrors, names included. */
export const mirroredStack = 'dev';

/** The settings of a stack, from its Pulumi file. The local stack has dev's. */
export async function readStack(name: string, root: string, catalogue: readonly Table[]): Promise<StackConfig> {
  const stack = name === localStack ? mirroredStack : name;
  const file = `Pulumi.${stack}.yaml`;
  const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
  if (text === undefined) throw await unknownStack(stack, root);
  return parseStackConfig(stack, configOf(file, text), catalogue);
}

function configOf(file: string, text: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new TablewrightError('BAD_CONFIG', `${file} is no valid YAML: ${(error as Error).message}`, {
      cause: error,
      next: `Correct ${file}.`,
    });
  }
  const config = typeof content === 'object' && content !== null && 'config' in content ? content.config : {};
  return typeof config === 'object' && config !== null ? (config as Readonly<Record<string, unknown>>) : {};
}

async function unknownStack(stack: string, root: string): Promise<TablewrightError> {
  const files = await readdir(root).catch(() => []);
  const known = files.flatMap((file) => /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1] ?? []);
  return new TablewrightError('UNKNOWN_NAME', `there is no stack ${stack}: Pulumi.${stack}.yaml was not found in ${root}`, {
    next: `Use one of ${['local', ...known].join(', ')}, or make the stack with 'npx pulumi stack init ${stack}'.`,
  });
}
